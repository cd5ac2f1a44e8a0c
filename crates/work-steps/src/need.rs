//! The capabilities of steps, as types: a step gets what its signature names and nothing else.

use std::sync::Arc;

use core_clock::{Clock, Entropy, Environment};
use core_rules::credential::Credential;
use io_creds::{CredentialSource, Kind};
use io_exec::Exec;
use io_http::outbound::Outbound;

use crate::{
    context::StepCx,
    failure::StepError,
    port::{ControlPlane, Ports, Settings},
};

/// What a step works with.
pub trait Needs: Sized + Send {
    /// Whether nothing of it leads out of the work directory.
    const IS_QUIET: bool = false;

    /// Takes it from what there is.
    fn from_ports(ports: &Ports, cx: &StepCx<'_>) -> Result<Self, StepError>;
}

/// Credentials of the Promotion's Project. What is found is blanked from then on.
pub struct Credentials(Arc<dyn CredentialSource>);

impl Credentials {
    /// The credential of a repository; `None` stands for anonymous access.
    pub async fn find(
        &self,
        cx: &StepCx<'_>,
        kind: Kind,
        url: &str,
    ) -> Result<Option<Credential>, StepError> {
        let found = self.0.find(&cx.subject.project, kind, url).await.map_err(|cause| {
            StepError::retryable(format!("the credential of {url} could not be read"))
                .because(cause)
        })?;
        match &found {
            Some(Credential::Basic { password, .. }) => cx.hide(password),
            Some(Credential::SshKey(key)) => cx.hide(key),
            None => {}
        }
        Ok(found)
    }
}

/// Programs such as helm and kustomize.
pub struct Programs {
    pub exec: Exec,
    pub environment: Arc<dyn Environment>,
    pub settings: Arc<Settings>,
}

/// Requests to addresses that users name.
pub struct Network {
    pub outbound: Outbound,
    pub clock: Arc<dyn Clock>,
    pub entropy: Arc<dyn Entropy>,
}

/// Registries of images and charts.
pub struct Registries {
    pub registries: io_oci::Registries,
    pub settings: Arc<Settings>,
}

/// Argo CD's Applications.
pub struct Applications(pub io_argo::Applications);

impl Needs for () {
    const IS_QUIET: bool = true;

    fn from_ports(_: &Ports, _: &StepCx<'_>) -> Result<Self, StepError> {
        Ok(())
    }
}

impl Needs for Credentials {
    fn from_ports(ports: &Ports, _: &StepCx<'_>) -> Result<Self, StepError> {
        Ok(Self(ports.credentials.clone()))
    }
}

impl Needs for Programs {
    fn from_ports(ports: &Ports, _: &StepCx<'_>) -> Result<Self, StepError> {
        let Ports { exec, environment, settings, .. } = ports.clone();
        Ok(Self { exec, environment, settings })
    }
}

impl Needs for Network {
    fn from_ports(ports: &Ports, _: &StepCx<'_>) -> Result<Self, StepError> {
        let Ports { outbound, clock, entropy, .. } = ports.clone();
        Ok(Self { outbound, clock, entropy })
    }
}

impl Needs for Registries {
    fn from_ports(ports: &Ports, _: &StepCx<'_>) -> Result<Self, StepError> {
        let Ports { registries, settings, .. } = ports.clone();
        Ok(Self { registries, settings })
    }
}

impl Needs for io_git::Store {
    fn from_ports(ports: &Ports, _: &StepCx<'_>) -> Result<Self, StepError> {
        Ok(ports.git.clone())
    }
}

impl Needs for Arc<dyn ControlPlane> {
    fn from_ports(ports: &Ports, _: &StepCx<'_>) -> Result<Self, StepError> {
        Ok(ports.control_plane.clone())
    }
}

impl Needs for Arc<dyn Clock> {
    const IS_QUIET: bool = true;

    fn from_ports(ports: &Ports, _: &StepCx<'_>) -> Result<Self, StepError> {
        Ok(ports.clock.clone())
    }
}

impl Needs for Arc<Settings> {
    fn from_ports(ports: &Ports, _: &StepCx<'_>) -> Result<Self, StepError> {
        Ok(ports.settings.clone())
    }
}

impl Needs for Option<Applications> {
    /// A preview may have none: what it would do is known from the configuration.
    fn from_ports(ports: &Ports, cx: &StepCx<'_>) -> Result<Self, StepError> {
        let applications = ports.applications.clone().map(Applications);
        if applications.is_none() && !cx.effects.are_recorded() {
            return Err(StepError::retryable(
                "there is no way to Argo CD: set ARGOCD_INTEGRATION_ENABLED=true for a controller, or give kargo run an --argocd-kubeconfig",
            ));
        }
        Ok(applications)
    }
}

macro_rules! needs_of_tuples {
    ($(($($name:ident),+)),+ $(,)?) => {$(
        impl<$($name: Needs),+> Needs for ($($name,)+) {
            const IS_QUIET: bool = $($name::IS_QUIET)&&+;

            fn from_ports(ports: &Ports, cx: &StepCx<'_>) -> Result<Self, StepError> {
                Ok(($($name::from_ports(ports, cx)?,)+))
            }
        }
    )+};
}

needs_of_tuples!((A, B), (A, B, C), (A, B, C, D), (A, B, C, D, E));
