//! Signed commits and tags, and what integration makes of signatures.

use core_rules::credential::Secret;
use dev_testkit::signing_key;
use io_git::{CommitRequest, Identity, PushIntegration, Signature, TagRequest, WorkError};

use crate::{
    promotion::{Promotion, checkout, commit, date, publish, publish_as},
    pushes::seeded,
    world::World,
};

fn key(user: &str) -> Secret {
    Secret::new(signing_key(user).unwrap())
}

#[tokio::test]
async fn commits_tags_and_new_branches_are_signed() {
    let world = World::new().await;
    let origin = seeded(&world, "a");
    let mut promotion = Promotion::new(&world.store);
    promotion.signing_key = Some(key("Kargo <no-reply@kargo.io>"));
    let create = io_git::At::Branch { name: "fresh".to_owned(), create: true };
    promotion.clone(&world.server.url("a"), vec![checkout("out", create)]).await.unwrap();
    let tree = promotion.tree("out");
    promotion.write("out/a", "2\n");
    let made = commit(&tree, "signed").await.unwrap();
    let tag = TagRequest { name: "v1", message: "m", force: false, date: date(), key: "t" };
    tree.tag(tag).await.unwrap();
    publish(&tree, "fresh", PushIntegration::RebaseOrFail).await.unwrap();
    let root = origin.git(&["rev-list", "--max-parents=0", "fresh"]).unwrap();
    let root = io_git::ObjectId::from_hex(root.as_bytes()).unwrap();
    let commits = tree.commits_between(root, made.id).await.unwrap();
    assert_eq!(tree.signatures(&commits).await.unwrap(), [Signature::Trusted]);
    for commit in ["fresh", "fresh~1"] {
        let raw = origin.git(&["cat-file", "commit", commit]).unwrap();
        assert!(raw.contains("gpgsig -----BEGIN PGP SIGNATURE-----"), "{raw}");
    }
    assert_eq!(tree.signer().unwrap().unwrap().0, "Kargo");
    for _ in 0..100 {
        if leftover_agents(world.root.path()) == 0 {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("an agent outlives its use");
}

fn leftover_agents(root: &std::path::Path) -> usize {
    let mine = |path: std::path::PathBuf| {
        let line = std::fs::read(path.join("environ")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(root.to_str().unwrap())
    };
    std::fs::read_dir("/proc").unwrap().flatten().filter(|entry| mine(entry.path())).count()
}

#[tokio::test]
async fn a_key_that_cannot_sign_is_a_clear_error() {
    let world = World::new().await;
    seeded(&world, "a");
    for key in [
        "",
        "not a key",
        "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nabcd\n-----END PGP PRIVATE KEY BLOCK-----",
    ] {
        let mut promotion = Promotion::new(&world.store);
        promotion.signing_key = Some(Secret::new(key));
        let tree = promotion.on_branch(&world.server.url("a"), "main").await;
        let before = tree.head().unwrap();
        promotion.write("out/a", "2\n");
        let failed = commit(&tree, "m").await.unwrap_err();
        assert!(matches!(failed, WorkError::Signing { .. }), "{failed}");
        assert!(failed.to_string().starts_with("the signing key could not be used: "), "{failed}");
        assert_eq!(tree.head().unwrap(), before);
    }
}

/// Every policy, for commits whose signatures are worth something, nothing, or cannot be judged.
#[tokio::test]
async fn signatures_decide_between_rebase_merge_and_failure() {
    let world = World::new().await;
    let (ours, theirs) = (key("Kargo <no-reply@kargo.io>"), key("Eve <eve@example.com>"));
    let mut number = 0;
    for signs in [true, false] {
        for worth in [Signature::Trusted, Signature::Unsigned, Signature::Untrusted] {
            let safe = if signs { Signature::Trusted } else { Signature::Unsigned };
            if worth == Signature::Trusted && !signs {
                // Nothing is trusted without a key of our own: the same as untrusted.
                continue;
            }
            for policy in [
                PushIntegration::AlwaysRebase,
                PushIntegration::RebaseOrMerge,
                PushIntegration::RebaseOrFail,
                PushIntegration::AlwaysMerge,
            ] {
                number += 1;
                let name = format!("r{number}");
                let origin = seeded(&world, &name);
                let mut promotion = Promotion::new(&world.store);
                promotion.signing_key = signs.then(|| ours.clone());
                let tree = promotion.on_branch(&world.server.url(&name), "main").await;
                promotion.write("out/a", "2\n");
                let signing_key = match worth {
                    Signature::Trusted => Some(ours.clone()),
                    Signature::Unsigned => None,
                    Signature::Untrusted => Some(theirs.clone()),
                };
                let author = Identity { name: "A".into(), email: "a@b".into(), signing_key };
                let request =
                    CommitRequest { message: "m", author: Some(&author), date: date(), key: "c" };
                tree.commit(request).await.unwrap();
                origin.commit("main", "remote", &[("c", "x")]).unwrap();
                let done = publish(&tree, "main", policy).await;
                let case = format!("{policy:?}, signs {signs}, {worth:?}");
                let parents = origin.git(&["log", "-1", "--format=%P", "main"]).unwrap();
                let merged = parents.split(' ').count() == 2;
                match policy {
                    PushIntegration::RebaseOrFail if worth != safe => {
                        let failed = done.unwrap_err();
                        assert!(
                            matches!(failed, WorkError::RebaseUnsafe { .. }),
                            "{case}: {failed}"
                        );
                        continue;
                    }
                    PushIntegration::AlwaysMerge => assert!(merged, "{case}"),
                    PushIntegration::RebaseOrMerge => assert_eq!(merged, worth != safe, "{case}"),
                    _ => assert!(!merged, "{case}"),
                }
                done.unwrap();
                let raw = origin.git(&["cat-file", "commit", "main"]).unwrap();
                assert_eq!(
                    raw.contains("gpgsig"),
                    signs,
                    "{case}: what we make is signed when we sign"
                );
            }
        }
    }
}

#[tokio::test]
async fn a_signed_commit_made_again_is_recognised() {
    let world = World::new().await;
    let origin = seeded(&world, "a");
    let key = key("Kargo <no-reply@kargo.io>");
    let mut tips = Vec::new();
    for policy in
        [None, None, Some(PushIntegration::AlwaysMerge), Some(PushIntegration::AlwaysRebase)]
    {
        let mut promotion = Promotion::new(&world.store);
        promotion.signing_key = Some(key.clone());
        let tree = promotion.on_branch(&world.server.url("a"), "main").await;
        promotion.write("out/a", "2\n");
        commit(&tree, "promote").await.unwrap();
        publish_as(&tree, None, "work", policy, policy.is_none()).await.unwrap();
        assert_eq!(tree.head().unwrap().to_string(), origin.git(&["rev-parse", "work"]).unwrap());
        tips.push(tree.head().unwrap());
        // The second of a signature decides its bytes.
        tokio::time::sleep(std::time::Duration::from_millis(1_100)).await;
    }
    assert!(tips.iter().all(|tip| *tip == tips[0]), "{tips:?}");
}
