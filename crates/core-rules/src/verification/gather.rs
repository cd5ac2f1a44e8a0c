//! Which templates a verification consists of.

use api_analysis::AnalysisTemplateSpec;
use api_kinds::verification::{AnalysisTemplateKind, AnalysisTemplateReference, Verification};

use super::{BuildError, Combined};

/// Templates may refer to others; more than these are a mistake.
const MAX_TEMPLATES: usize = 64;

/// The templates of a verification while they are being looked up.
#[derive(Clone, Debug)]
pub struct Gathering {
    /// All that are known to belong to it, in the order in which they are combined.
    references: Vec<AnalysisTemplateReference>,
    /// What those looked up so far say.
    found: Vec<AnalysisTemplateSpec>,
}

impl Gathering {
    /// Those of the namespace come first, then those of the cluster.
    pub fn begin(verification: &Verification) -> Self {
        let named = &verification.analysis_templates;
        let of_cluster = named.iter().filter(|reference| is_of_cluster(reference));
        let in_namespace = named.iter().filter(|reference| !is_of_cluster(reference));
        Self { references: in_namespace.chain(of_cluster).cloned().collect(), found: Vec::new() }
    }

    /// The template to look up next; `None` when none is left.
    pub fn wanted(&self) -> Option<&AnalysisTemplateReference> {
        self.references.get(self.found.len()).filter(|_| self.found.len() < MAX_TEMPLATES)
    }

    /// Takes in the wanted template, and wants those that it refers to.
    pub fn take(&mut self, template: AnalysisTemplateSpec) {
        for other in &template.templates {
            let kind = if other.cluster_scope {
                AnalysisTemplateKind::ClusterAnalysisTemplate
            } else {
                AnalysisTemplateKind::AnalysisTemplate
            };
            let other = AnalysisTemplateReference { kind, name: other.template_name.clone() };
            if !self.references.iter().any(|known| is_same(known, &other)) {
                self.references.push(other);
            }
        }
        self.found.push(template);
    }

    /// What is wrong when the wanted template does not exist.
    pub fn missing(&self) -> BuildError {
        let wanted = self.wanted();
        BuildError::MissingTemplate {
            kind: if wanted.is_some_and(is_of_cluster) {
                "ClusterAnalysisTemplate"
            } else {
                "AnalysisTemplate"
            },
            name: wanted.map(|wanted| wanted.name.clone()).unwrap_or_default(),
        }
    }

    /// All templates as one.
    pub fn combine(self) -> Result<Combined, BuildError> {
        if self.found.len() < self.references.len() {
            return Err(BuildError::TooManyTemplates { limit: MAX_TEMPLATES });
        }
        let mut combined = Combined::default();
        for (reference, template) in self.references.iter().zip(self.found) {
            combined.add(&reference.name, template)?;
        }
        if combined.metrics.is_empty() {
            return Err(BuildError::NoMetrics);
        }
        Ok(combined)
    }
}

/// Whether the template belongs to the whole cluster.
fn is_of_cluster(reference: &AnalysisTemplateReference) -> bool {
    reference.kind == AnalysisTemplateKind::ClusterAnalysisTemplate
}

fn is_same(one: &AnalysisTemplateReference, other: &AnalysisTemplateReference) -> bool {
    one.name == other.name && is_of_cluster(one) == is_of_cluster(other)
}
