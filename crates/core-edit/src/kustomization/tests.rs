use proptest::prelude::*;

use super::*;

fn image(name: &str, tag: &str) -> Image {
    Image { name: name.to_owned(), new_tag: Some(tag.to_owned()), ..Image::default() }
}

#[track_caller]
fn check(text: &str, images: &[Image], expected: &str) {
    assert_eq!(set_images(text, images).unwrap().text, expected);
    assert_eq!(set_images(expected, images).unwrap().text, expected, "a second time");
}

const TEXT: &str = "kind: Kustomization\nresources:\n- d.yaml # keep\nimages:\n# web\n- name: nginx # server\n  newTag: \"1.25\" # tag\n\
# app\n- name: ghcr.io/acme/app\n  newName: mirror/app\n  digest: sha256:aaa # pinned\n# next\nnamePrefix: x-\n";

#[test]
fn entries_are_replaced_and_keep_their_comments() {
    check(
        TEXT,
        &[image("nginx", "1.27")],
        "kind: Kustomization\nresources:\n- d.yaml # keep\nimages:\n# app\n- name: ghcr.io/acme/app\n  newName: mirror/app\n  digest: sha256:aaa # pinned\n\
         # web\n- name: nginx # server\n  newTag: \"1.27\" # tag\n# next\nnamePrefix: x-\n",
    );
    let digest =
        Image { digest: Some("sha256:b".to_owned()), name: "nginx".to_owned(), ..Image::default() };
    let text = set_images(TEXT, &[digest]).unwrap().text;
    assert!(text.contains("- name: nginx # server\n  digest: sha256:b # tag\n"), "{text}");
    let text = set_images(TEXT, &[image("ghcr.io/acme/app", "v2")]).unwrap().text;
    assert!(
        text.contains("# app\n- name: ghcr.io/acme/app\n  newTag: v2 # pinned\n# web\n"),
        "{text}"
    );
}

#[test]
fn stars_keep_what_the_file_has() {
    let app = Image { new_name: Some("*".to_owned()), ..image("ghcr.io/acme/app", "v2") };
    let updated = set_images(TEXT, &[app, image("redis", "*")]).unwrap();
    let kept = Image { new_name: Some("mirror/app".to_owned()), ..image("ghcr.io/acme/app", "v2") };
    let redis = Image { name: "redis".to_owned(), ..Image::default() };
    assert_eq!(updated.images, [kept, redis]);
    assert!(updated.text.contains("newName: mirror/app\n  newTag: v2"), "{}", updated.text);
}

#[test]
fn a_list_is_made_where_there_is_none() {
    let images = [image("b", "1.10"), image("a", "v1"), image("a", "v2")];
    let list = "- name: a\n  newTag: v2\n- name: b\n  newTag: \"1.10\"\n";
    check("resources: []\n", &images, &format!("resources: []\nimages:\n{list}"));
    check("resources: []", &images, format!("resources: []\nimages:\n{list}").trim_end());
    check("images: # none\nx: 1\n", &images, &format!("images: # none\n{list}x: 1\n"));
    check("images: null # none\n", &images, &format!("images: # none\n{list}"));
    check("images:", &images, format!("images:\n{list}").trim_end());
    check("a: 1\r\n", &[image("a", "v2")], "a: 1\r\nimages:\r\n- name: a\r\n  newTag: v2\r\n");
    check(
        "a: 1\n---\nb: 2\n",
        &[image("a", "v2")],
        "a: 1\nimages:\n- name: a\n  newTag: v2\n---\nb: 2\n",
    );
    check("images: []\n", &[image("a", "v2")], "images: [{name: a, newTag: v2}]\n");
    check("{a: 1}\n", &[image("a", "v2")], "{a: 1, images: [{name: a, newTag: v2}]}\n");
    check(
        "images: [{name: b, newTag: x}]\n",
        &[image("a", "1")],
        "images: [{name: a, newTag: \"1\"}, {name: b, newTag: x}]\n",
    );
}

#[test]
fn the_layout_of_the_file_stays() {
    let text = "    resources:\n        - d.yaml\n    images:\n        - name: nginx\n          newTag: 1.2\n";
    check(
        text,
        &[image("redis", "7")],
        "    resources:\n        - d.yaml\n    images:\n        - name: nginx\n          newTag: \"1.2\"\n        - name: redis\n          newTag: \"7\"\n",
    );
    assert_eq!(set_images(TEXT, &[]).unwrap().text, TEXT);
}

#[test]
fn what_is_no_list_of_images_is_refused() {
    for text in [
        "",
        "# c\n",
        "a: [1\n",
        "images: oops\n",
        "images: [x]\n",
        "images: [{newTag: x}]\n",
        "- a\n",
        "images: {a: 1}",
        "images: [{name: [x]}]",
    ] {
        assert!(set_images(text, &[image("a", "1")]).is_err(), "{text}");
    }
}

proptest! {
    #[test]
    fn only_images_change(
        before in "(a: 1\n|# c\n|r:\n  - x # y\n\n){0,3}",
        entries in prop::collection::vec("( # n|)\n*(# up\n)?- name: [a-c]( # n)?\n  newTag: (v1|1\\.2)( # t)?", 0..4),
        name in "[a-d]", tag in "(v2|1\\.30|true)",
    ) {
        let list = entries.join("\n");
        let text = if entries.is_empty() { before.clone() } else { format!("{before}images:\n{}\nz: 1\n", list.trim_start_matches(" # n").trim_start()) };
        if let Ok(Updated { text: updated, .. }) = set_images(&text, &[image(&name, &tag)]) {
            let value = crate::yaml::parse(&updated).unwrap();
            let set = value["images"].as_array().unwrap().iter().find(|entry| entry["name"] == name.as_str()).unwrap();
            prop_assert_eq!(&set["newTag"], tag.as_str());
            prop_assert!(updated.starts_with(before.trim_end()), "{}", updated);
            prop_assert_eq!(set_images(&updated, &[image(&name, &tag)]).unwrap().text, updated);
        }
    }

    #[test]
    fn arbitrary_text_never_panics(text in "(images:|name: |newTag|[-\\[\\]{}:,&*!|>'\"# \n\ra1~]){0,24}") {
        let _ = set_images(&text, &[image("a", "1")]);
    }
}
