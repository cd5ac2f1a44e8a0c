//! How long it takes to compile and evaluate one template, of those that Promotions are full of.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, anyhow, ensure};
use api_kinds::{
    collection::FreightReference,
    stage::FreightRequest,
    warehouse::{GitSubscription, ImageSubscription, RepoSubscription, Source},
};
use core_expr::{
    Answer, Answers, Host, Library, Promotion, PromotionContext, Request, Scope, StepContext,
    Template, Value, Variables,
};
use jiff::Timestamp;
use serde_json::json;

use crate::report::{Report, Row};

const ROUNDS: usize = 5_001;
const LIMIT_MICROSECONDS: f64 = 20.0;

/// Templates and what they must give.
const TEMPLATES: [(&str, &str); 5] = [
    (
        "${{ vars.gitRepo }}/tree/stage/${{ ctx.stage }}",
        "https://git.example.com/app/tree/stage/test",
    ),
    ("${{ imageFrom(vars.imageRepo).Tag }}", "v1.2.3"),
    ("${{ commitFrom(vars.gitRepo, warehouse('main')).ID }}", "0123456789abcdef"),
    (
        "${{ success() && outputs.push.branch != '' ? quote(outputs.push.commit) : 'none' }}",
        "fedcba9876543210",
    ),
    (
        "Promote ${{ ctx.targetFreight.alias }} to ${{ ctx.stage }} for ${{ ctx.meta.promotion.actor }}",
        "Promote tired-otter to test for admin",
    ),
];

/// The slowest of them, each at its median.
pub(crate) fn measure(report: &mut Report) -> Result<()> {
    let world = World::new()?;
    let mut slowest = Duration::ZERO;
    for (template, want) in TEMPLATES {
        let value = world.evaluate(template)?;
        let text = value.as_text().map(|text| text.to_str().into_owned());
        ensure!(text.as_deref() == Some(want), "{template} gives {text:?}");
        slowest = slowest.max(world.median(template)?);
    }
    let what = "compile and evaluate a template, slowest of 5 (µs)";
    report.add(Row::at_most(what, slowest.as_secs_f64() * 1e6, LIMIT_MICROSECONDS));
    Ok(())
}

/// A Promotion with Freight of one Warehouse.
struct World {
    requests: Vec<FreightRequest>,
    freight: Vec<FreightReference>,
    answers: Answers,
    variables: Variables,
}

impl World {
    fn new() -> Result<Self> {
        let (git, image) = ("https://git.example.com/app", "registry.example.com/app");
        let origin = json!({"kind": "Warehouse", "name": "main"});
        let subscriptions = [
            Source::Git(GitSubscription { repo_url: git.into(), ..GitSubscription::default() }),
            Source::Image(ImageSubscription {
                repo_url: image.into(),
                ..ImageSubscription::default()
            }),
        ];
        let subscriptions =
            subscriptions.map(|source| RepoSubscription { name: String::new(), source });
        let mut answers = Answers::default();
        answers.insert(Request::Warehouse("main".into()), Answer::Warehouse(subscriptions.into()));
        let promotion = PromotionContext {
            project: "demo",
            promotion: "test.01",
            stage: "test",
            freight: "f00d",
            freight_alias: "tired-otter",
            origin: "main",
            actor: "admin",
            ..PromotionContext::default()
        };
        let vars = json!({"gitRepo": git, "imageRepo": image});
        let outputs = json!({"push": {"branch": "stage/test", "commit": "fedcba9876543210"}});
        let step =
            StepContext { alias: "message", outputs: Value::from_json(&outputs), records: &[] };
        Ok(Self {
            requests: serde_json::from_value(
                json!([{"origin": origin, "sources": {"direct": true}}]),
            )?,
            freight: serde_json::from_value(json!([{
                "name": "f00d", "origin": origin,
                "commits": [{"repoURL": git, "id": "0123456789abcdef"}],
                "images": [{"repoURL": image, "tag": "v1.2.3"}],
            }]))?,
            answers,
            variables: promotion.variables(Value::from_json(&vars), Some(&step), None),
        })
    }

    fn evaluate(&self, template: &str) -> Result<Value> {
        let promotion = Promotion {
            requests: &self.requests,
            freight: &self.freight,
            step: "message",
            steps: &[],
            answers: &self.answers,
        };
        let scope = Scope::new(&self.variables, Timestamp::UNIX_EPOCH)
            .with_host(Host::Promotion(&promotion));
        let parsed = Template::parse(template).map_err(|error| anyhow!("{error}"))?;
        let value = parsed.evaluate(Library::STEP, &scope);
        value.map_err(|failure| anyhow!("{template}: {failure:?}"))
    }

    fn median(&self, template: &str) -> Result<Duration> {
        let mut times = Vec::with_capacity(ROUNDS);
        for _ in 0..ROUNDS {
            let begin = Instant::now();
            black_box(self.evaluate(black_box(template))?);
            times.push(begin.elapsed());
        }
        times.sort();
        times.get(ROUNDS / 2).copied().context("no round")
    }
}
