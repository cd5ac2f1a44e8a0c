//! Objects in files, as people write them for `kubectl`.

use std::{
    io::Read as _,
    path::{Path, PathBuf},
};

use cli_client::{Patience, Request, Trust};
use serde_json::Value;

use crate::{
    cobra,
    env::Env,
    exit::{CliResult, Context as _, Failure},
    output::{Format, PrintArgs},
};

/// What the server accepts at once.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// Files with objects
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct ManifestArgs {
    /// Files, directories, URLs or - with the objects
    #[arg(short, long = "filename", value_name = "FILE", value_delimiter = ',', value_hint = clap::ValueHint::AnyPath)]
    filename: Vec<String>,
    /// Look into directories of directories too
    #[arg(short = 'R', long)]
    recursive: bool,
}

impl ManifestArgs {
    /// Whether any was given.
    pub(crate) fn is_given(&self) -> bool {
        !self.filename.is_empty()
    }

    /// All objects.
    pub(crate) async fn objects(&self, env: &Env) -> CliResult<Vec<Value>> {
        cobra::required(&[("filename", self.is_given())])?;
        let mut objects = Vec::new();
        for source in &self.filename {
            for (name, text) in self.texts(env, source).await? {
                objects.extend(parse(&name, &text)?);
            }
        }
        if objects.is_empty() {
            let sources = self.filename.join(", ");
            return Err(Failure::usage(format!("no objects found in {sources}")).hint(
                "in directories, files that end in .json, .yaml or .yml are read; -R looks into those beneath",
            ));
        }
        Ok(objects)
    }

    async fn texts(&self, env: &Env, source: &str) -> CliResult<Vec<(String, String)>> {
        if source == "-" {
            let bytes = env.streams.read_input(MAX_BYTES)?;
            return Ok(vec![(source.to_owned(), text(source, bytes)?)]);
        }
        if source.starts_with("http://") || source.starts_with("https://") {
            return Ok(vec![(source.to_owned(), download(env, source).await?)]);
        }
        let mut files = Vec::new();
        find_files(Path::new(source), self.recursive, true, &mut files)?;
        files.sort();
        files.iter().map(|file| Ok((file.display().to_string(), read_file(file)?))).collect()
    }
}

/// Objects as one stream of YAML documents.
pub(crate) fn stream(objects: &[Value]) -> CliResult<String> {
    let mut stream = String::new();
    for object in objects {
        stream.push_str("---\n");
        stream.push_str(&Format::Yaml.write(&PrintArgs::default(), object)?);
    }
    if stream.len() > MAX_BYTES {
        return Err(Failure::error("the objects are larger together than the server accepts"));
    }
    Ok(stream)
}

fn find_files(path: &Path, recursive: bool, is_named: bool, files: &mut Vec<PathBuf>) -> CliResult {
    let told = || path.display().to_string();
    if !path.is_dir() {
        let extension = path.extension().and_then(|extension| extension.to_str());
        if is_named || matches!(extension, Some("json" | "yaml" | "yml")) {
            files.push(path.to_owned());
        }
        return Ok(());
    }
    if !is_named && !recursive {
        return Ok(());
    }
    for entry in std::fs::read_dir(path).context(told())? {
        find_files(&entry.context(told())?.path(), recursive, false, files)?;
    }
    Ok(())
}

fn read_file(path: &Path) -> CliResult<String> {
    let name = path.display().to_string();
    let file = std::fs::File::open(path).context(&name)?;
    let mut bytes = Vec::new();
    let limit = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX).saturating_add(1);
    file.take(limit).read_to_end(&mut bytes).context(&name)?;
    text(&name, bytes)
}

async fn download(env: &Env, url: &str) -> CliResult<String> {
    let request = Request {
        method: http::Method::GET,
        url: url.to_owned(),
        headers: Vec::new(),
        body: bytes::Bytes::new(),
        trust: Trust::Verified,
        patience: Patience::Answer,
    };
    let unreachable = |error: cli_client::TransportError| Failure::error(error.to_string());
    let mut response = env.transport.send(request).await.map_err(unreachable).context(url)?;
    if response.status != 200 {
        return Err(Failure::error(format!("{url}: the server answers {}", response.status)));
    }
    let mut bytes = Vec::new();
    while let Some(chunk) = response.body.next().await.map_err(unreachable).context(url)? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > MAX_BYTES {
            break;
        }
    }
    text(url, bytes)
}

fn text(name: &str, bytes: Vec<u8>) -> CliResult<String> {
    if bytes.len() > MAX_BYTES {
        let limit = MAX_BYTES / 1024 / 1024;
        return Err(Failure::error(format!("{name}: larger than {limit} MiB")));
    }
    String::from_utf8(bytes).map_err(|_| Failure::error(format!("{name}: not UTF-8 text")))
}

/// The objects of a text; Lists are opened.
fn parse(name: &str, text: &str) -> CliResult<Vec<Value>> {
    let documents: Vec<Value> = serde_saphyr::from_multiple(text).map_err(|error| {
        let text = error.to_string();
        let line = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
        Failure::error(format!("{name}: not YAML: {line}"))
    })?;
    let objects: Vec<Value> =
        documents.into_iter().flat_map(items).filter(|object| !object.is_null()).collect();
    let has_kind = |object: &Value| {
        object.get("kind").and_then(Value::as_str).is_some_and(|kind| !kind.is_empty())
    };
    match objects.iter().position(|object| !has_kind(object)) {
        Some(at) => Err(Failure::error(format!("{name}: object {} has no kind", at + 1))
            .hint("every object begins with its apiVersion and kind")),
        None => Ok(objects),
    }
}

fn items(document: Value) -> Vec<Value> {
    let is_list =
        document.get("kind").and_then(Value::as_str).is_some_and(|kind| kind.ends_with("List"));
    match document {
        Value::Object(mut list) if is_list && list.get("items").is_some_and(Value::is_array) => {
            match list.remove("items") {
                Some(Value::Array(items)) => items,
                _ => Vec::new(),
            }
        }
        Value::Array(items) => items,
        document => vec![document],
    }
}
