// The versions whose schemas are in scripts/deploy/schemas. build-schemas.mjs writes them again after a change.

/** The oldest version of Kubernetes that the chart allows, and newer ones. The chart is checked against each of them. */
export const KUBERNETES_VERSIONS = ['1.29.15', '1.34.8', '1.37.2'];
export const PROMETHEUS_OPERATOR_VERSION = '0.85.0';
