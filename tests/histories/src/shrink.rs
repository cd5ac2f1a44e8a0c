//! Makes a history that differs short: steps are left out as long as the same difference shows.

use anyhow::Result;

/// How often a history is played again at most.
const TRIES: usize = 60;

/// Leaves out what it can of `keep`; `differs` plays the rest and tells whether it still shows the difference.
pub(crate) async fn shrink(
    keep: &[usize],
    differs: impl AsyncFn(&[usize]) -> Result<bool>,
) -> Result<Vec<usize>> {
    let mut kept = keep.to_vec();
    let mut tries = 0;
    let mut size = kept.len().div_ceil(2);
    while size > 0 {
        let mut start = 0;
        while start < kept.len() && tries < TRIES {
            let rest: Vec<usize> = kept
                .iter()
                .enumerate()
                .filter(|(index, _)| !(start..start + size).contains(index))
                .map(|(_, position)| *position)
                .collect();
            tries += 1;
            if !rest.is_empty() && differs(&rest).await? {
                kept = rest;
            } else {
                start += size;
            }
        }
        size /= 2;
    }
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_the_steps_that_matter_stay() {
        let all: Vec<usize> = (0..30).collect();
        let needs = async |kept: &[usize]| Ok([3, 17, 18].iter().all(|step| kept.contains(step)));
        assert_eq!(shrink(&all, needs).await.unwrap(), [3, 17, 18]);
    }
}
