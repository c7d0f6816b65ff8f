// The versions whose schemas are in scripts/deploy/schemas. build-schemas.mjs writes them again after a change.

/** The oldest and the newest version of Kubernetes against which the chart is checked. */
export const KUBERNETES_VERSIONS = ['1.34.8', '1.37.2'];
export const PROMETHEUS_OPERATOR_VERSION = '0.85.0';
