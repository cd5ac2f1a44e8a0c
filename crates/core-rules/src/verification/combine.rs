//! Many templates as one.

use api_analysis::{AnalysisTemplateSpec, Argument, DryRun, MeasurementRetention, Metric};

use super::BuildError;

/// What the templates of a verification say together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Combined {
    pub(super) metrics: Vec<Metric>,
    pub(super) args: Vec<Argument>,
    pub(super) dry_run: Vec<DryRun>,
    pub(super) measurement_retention: Vec<MeasurementRetention>,
}

impl Combined {
    pub(super) fn add(
        &mut self,
        template: &str,
        spec: AnalysisTemplateSpec,
    ) -> Result<(), BuildError> {
        let AnalysisTemplateSpec { metrics, args, dry_run, measurement_retention, .. } = spec;
        let named = Named { what: "metric", name: |metric: &Metric| &metric.name };
        named.extend(&mut self.metrics, metrics, template)?;
        let named = Named { what: "dry run of metric", name: |it: &DryRun| &it.metric_name };
        named.extend(&mut self.dry_run, dry_run, template)?;
        let named = Named {
            what: "measurement retention of metric",
            name: |it: &MeasurementRetention| &it.metric_name,
        };
        named.extend(&mut self.measurement_retention, measurement_retention, template)?;
        args.into_iter().try_for_each(|argument| self.add_argument(template, argument))
    }

    /// A value fills one that is missing; the first source of a value stays.
    fn add_argument(&mut self, template: &str, new: Argument) -> Result<(), BuildError> {
        let Some(known) = self.args.iter_mut().find(|known| known.name == new.name) else {
            self.args.push(new);
            return Ok(());
        };
        if let (Some(value), Some(other)) = (&known.value, &new.value)
            && value != other
        {
            let template = template.to_owned();
            return Err(BuildError::ConflictingArgument { name: new.name, template });
        }
        known.value = known.value.take().or(new.value);
        known.value_from = known.value_from.take().or(new.value_from);
        Ok(())
    }
}

/// Things of one sort that are told apart by a name.
struct Named<T> {
    what: &'static str,
    name: fn(&T) -> &str,
}

impl<T> Named<T> {
    fn extend(&self, all: &mut Vec<T>, new: Vec<T>, template: &str) -> Result<(), BuildError> {
        for one in new {
            let name = (self.name)(&one);
            if all.iter().any(|known| (self.name)(known) == name) {
                return Err(BuildError::Duplicate {
                    what: self.what,
                    name: name.to_owned(),
                    template: template.to_owned(),
                });
            }
            all.push(one);
        }
        Ok(())
    }
}
