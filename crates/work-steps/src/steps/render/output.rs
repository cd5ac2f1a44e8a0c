//! Where manifests are written to: one file, or a directory with a file for each.

use std::path::Path;

use crate::{StepCx, StepError};

/// A file or a directory, by how its name ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    File,
    Directory,
}

impl Place {
    pub(crate) fn of(path: &str) -> Self {
        // As it is written: a slash at the end makes it a directory.
        match path.rsplit_once('.') {
            Some((_, "yaml" | "yml")) => Self::File,
            _ => Self::Directory,
        }
    }
}

/// A file name made from what a manifest says, if it is one and leads nowhere.
pub(crate) fn plain_name(name: String) -> Result<String, StepError> {
    let is_plain = !matches!(&*name, "" | "." | "..") && !name.contains(['/', '\\', '\0']);
    if is_plain {
        return Ok(name);
    }
    Err(StepError::retryable(format!(
        "a manifest would be written to {name:?}, which is no plain file name: look at its kind, name and namespace"
    )))
}

/// Writes files into a directory; others that are there stay.
pub(crate) async fn write_all(
    directory: &str,
    files: Vec<(String, String)>,
    cx: &StepCx<'_>,
) -> Result<(), StepError> {
    let directory = directory.to_owned();
    cx.files
        .blocking(move |jail| {
            jail.create_dirs(&directory)?;
            files.iter().try_for_each(|(name, text)| {
                jail.write(Path::new(&directory).join(name), text.as_bytes())
            })
        })
        .await
        .map_err(|error: io_exec::JailError| error.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_the_name_tells_a_file_from_a_directory() {
        for path in ["a.yaml", "b/c.yml", ".yaml"] {
            assert_eq!(Place::of(path), Place::File, "{path}");
        }
        for path in ["a", "a.yaml/", "a.yaml/x", "a.json", "yaml", "a.YAML"] {
            assert_eq!(Place::of(path), Place::Directory, "{path}");
        }
    }

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        assert_eq!(plain_name("deployment-x.yaml".into()).unwrap(), "deployment-x.yaml");
        for name in ["", ".", "..", "../x", "/x", "a/b", "a\\b", "a\0b"] {
            assert!(plain_name(name.into()).is_err(), "{name}");
        }
    }
}
