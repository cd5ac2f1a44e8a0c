//! Runs scenes: many at once, the rows of each in order.

use anyhow::anyhow;
use futures::{StreamExt, stream};

use crate::{
    play::Play,
    report::{self, Outcome, Verdict},
    suite::Suite,
    table::{Scene, Settings, Table},
};

const AT_ONCE: usize = 8;

/// Runs the scenes of all tables that ask for the settings of this control plane.
pub(crate) async fn run(
    suite: &Suite,
    tables: &[Table],
    settings: &Settings,
    only: Option<&str>,
) -> Vec<Outcome> {
    let scenes = tables.iter().flat_map(|table| {
        let title =
            |(index, scene)| (format!("{}-{index}", table.name), table.name.as_str(), scene);
        let scenes = table.scenes.iter().enumerate();
        scenes.filter(|(_, scene)| scene.settings == *settings).map(title)
    });
    let outcomes = stream::iter(scenes)
        .map(async |(place, table, scene)| run_scene(suite, &place, table, scene, only).await)
        .buffer_unordered(AT_ONCE)
        .collect::<Vec<_>>()
        .await;
    outcomes.into_iter().flatten().collect()
}

async fn run_scene(
    suite: &Suite,
    place: &str,
    table: &str,
    scene: &Scene,
    only: Option<&str>,
) -> Vec<Outcome> {
    let titles: Vec<String> = scene
        .rows
        .iter()
        .map(|row| format!("{table} {}", row["row"].as_str().unwrap_or_default()))
        .collect();
    let is_asked = |title: &String| only.is_none_or(|part| title.contains(part));
    let Some(last) = titles.iter().rposition(is_asked) else { return Vec::new() };
    let play = Play::set(suite, place, scene).await;
    let mut outcomes = Vec::new();
    match play {
        Err(error) => {
            let failed = |title| Outcome {
                title,
                verdict: Verdict::Failed(anyhow!("the scene {:?}: {error:#}", scene.title)),
            };
            outcomes.extend(titles.into_iter().map(failed));
        }
        Ok(mut play) => {
            for (row, title) in scene.rows.iter().zip(titles).take(last + 1) {
                outcomes.push(Outcome { title, verdict: play.settle(row).await });
            }
        }
    }
    outcomes.iter().for_each(report::line);
    outcomes
}
