//! The one ClusterConfig.

use api_kinds::{ClusterConfig, cluster_config::CLUSTER_CONFIG_NAME};

use super::{
    Operation, field::FieldError, metadata::name, outcome::Admitted, receiver, refusal::Refusal,
    window,
};

/// It has one name, and receivers that can be told apart.
pub fn validate(operation: Operation, config: &ClusterConfig) -> Result<Admitted, Refusal> {
    let name = name(&config.metadata);
    let mut errors = Vec::new();
    if operation == Operation::Create && name != CLUSTER_CONFIG_NAME {
        let detail = format!("name {name:?} must be {CLUSTER_CONFIG_NAME:?}");
        errors.push(FieldError::invalid("metadata.name", name, &detail));
    }
    errors.extend(receiver::check(&config.spec.webhook_receivers));
    Refusal::unless_valid::<ClusterConfig>(name, errors)?;
    let mut warnings = receiver::warn(&config.spec.webhook_receivers);
    warnings.extend(window::warn(&config.spec.promotion_windows, window::Place::Cluster));
    Ok(Admitted::with_warnings(warnings))
}

#[cfg(test)]
mod tests {
    use api_kinds::{ClusterConfig, Kind as _};
    use serde_json::json;

    use super::{Operation, validate};
    use crate::admission::fixture::{message, object};

    #[test]
    fn it_is_called_cluster() {
        assert!(validate(Operation::Create, &ClusterConfig::named("cluster")).is_ok());
        assert_eq!(
            message(validate(Operation::Create, &ClusterConfig::named("x"))),
            r#"metadata.name: Invalid value: "x": name "x" must be "cluster""#
        );
        assert!(validate(Operation::Update, &ClusterConfig::named("x")).is_ok());
    }

    #[test]
    fn its_receivers_are_checked() {
        let twice = json!({"spec": {"webhookReceivers": [{"name": "a"}, {"name": "a"}]}});
        let config: ClusterConfig = object("cluster", twice);
        assert!(message(validate(Operation::Update, &config)).contains("already defined"));
    }
}
