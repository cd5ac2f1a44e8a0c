//! Criteria and filters.

use api_kinds::warehouse::{ChartDiscoveryResult, DiscoveredImageReference, ImageDiscoveryResult};

use super::*;

const NOW: Timestamp = Timestamp::UNIX_EPOCH;

fn found() -> DiscoveredArtifacts {
    let image = DiscoveredImageReference {
        tag: "v1.2.0".into(),
        created_at: Some(api_kinds::Time("2024-05-01T00:00:00Z".parse().unwrap())),
        ..Default::default()
    };
    let images = ImageDiscoveryResult {
        repo_url: "docker.io/library/nginx".into(),
        references: vec![image],
        ..Default::default()
    };
    let charts = ChartDiscoveryResult {
        name: "app".into(),
        repo_url: "https://charts.example.com".into(),
        versions: vec!["1.2.0".into()],
        ..Default::default()
    };
    DiscoveredArtifacts { images: vec![images], charts: vec![charts], ..Default::default() }
}

#[test]
fn criteria_compare_what_was_found() {
    let met = |expression: &str| {
        Criterion::compile(expression).and_then(|criterion| criterion.is_met(&found(), NOW))
    };
    let same =
        "imageFrom('nginx').Tag == 'v' + chartFrom('https://charts.example.com', 'app').Version";
    assert_eq!(met(same), Ok(true));
    assert_eq!(met("imageFrom('nginx').CreatedAt.After(date('2024-01-01'))"), Ok(true));
    assert_eq!(met("imageFrom('other')?.Tag == nil"), Ok(true));
    assert_eq!(met("semverDiff(imageFrom('nginx').Tag, '1.3.0') == 'Minor'"), Ok(true));
    assert_eq!(met("'f'"), Ok(false));
    for bad in ["imageFrom('other').Tag == 'x'", "'yes'", "nil", "imageFrom('nginx').tag", "1 +"] {
        assert!(met(bad).is_err(), "{bad}");
    }
}

#[test]
fn filters_see_commits_and_tags() {
    let date = Moment::with_offset("2023-12-31T23:30:00Z".parse().unwrap(), 3600);
    let commit = Commit::OnBranch {
        id: "abc",
        commit_date: date.clone(),
        author: "Ann <a@x>",
        committer: "Bob <b@x>",
        subject: "fix: it",
    };
    let tag = Commit::Tagged {
        tag: "v1",
        id: "abc",
        creator_date: date,
        author: "",
        committer: "",
        subject: "",
        tagger: "T",
        annotation: "note",
    };
    let accepts = |expression: &str, commit| {
        CommitFilter::compile(expression).unwrap().accepts(commit, NOW).unwrap()
    };
    assert!(accepts("commitDate.Year() >= 2024 && subject startsWith 'fix'", &commit));
    assert!(accepts("author contains 'Ann' && tag == nil", &commit));
    assert!(accepts("creatorDate.After(date('2023-01-01')) && tag matches '^v'", &tag));
    assert!(!accepts("annotation == ''", &tag));
    assert!(CommitFilter::compile("commitDate > now()").unwrap().depends_on_time());
    assert!(!CommitFilter::compile("id == 'now'").unwrap().depends_on_time());
}
