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
    output::Format,
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

    /// All objects as one stream of YAML documents.
    pub(crate) async fn read(&self, env: &Env) -> CliResult<String> {
        cobra::required(&[("filename", self.is_given())])?;
        let mut stream = String::new();
        for source in &self.filename {
            for (name, text) in self.texts(env, source).await? {
                append(&mut stream, &name, &text)?;
            }
        }
        if stream.is_empty() {
            return Err(Failure::usage("no objects found in the files"));
        }
        Ok(stream)
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

/// Adds the objects of a text to a stream; Lists are opened.
fn append(stream: &mut String, name: &str, text: &str) -> CliResult {
    let documents: Vec<Value> = serde_saphyr::from_multiple(text).map_err(|error| {
        let text = error.to_string();
        let line = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
        Failure::error(format!("{name}: not YAML: {line}"))
    })?;
    for object in documents.into_iter().flat_map(items).filter(|object| !object.is_null()) {
        if object.get("kind").and_then(Value::as_str).is_none_or(str::is_empty) {
            return Err(Failure::error(format!("{name}: an object has no kind")));
        }
        let yaml = Format::Yaml.write(&crate::output::PrintArgs::default(), &object)?;
        stream.push_str("---\n");
        stream.push_str(&yaml);
    }
    if stream.len() > MAX_BYTES {
        return Err(Failure::error("the objects are larger together than the server accepts"));
    }
    Ok(())
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
