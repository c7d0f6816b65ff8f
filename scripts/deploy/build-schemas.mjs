// Writes scripts/deploy/schemas: strict JSON schemas of the Kubernetes objects that the Helm chart creates, for kubeconform.
// They are derived from the OpenAPI documents in the Go module of Kubernetes and from CRDs of the Prometheus operator.
// Run it after a change of the versions or kinds below: `node scripts/deploy/build-schemas.mjs`. Needs Go and network access.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { KUBERNETES_VERSIONS, PROMETHEUS_OPERATOR_VERSION } from './kubernetes-versions.mjs';

/** The kinds of the chart: name of the definition in the OpenAPI document, and name of the file that kubeconform reads. */
const KINDS = {
  'io.k8s.api.apps.v1.Deployment': 'deployment-apps-v1',
  'io.k8s.api.apps.v1.StatefulSet': 'statefulset-apps-v1',
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler': 'horizontalpodautoscaler-autoscaling-v2',
  'io.k8s.api.batch.v1.Job': 'job-batch-v1',
  'io.k8s.api.core.v1.ConfigMap': 'configmap-v1',
  'io.k8s.api.core.v1.PersistentVolumeClaim': 'persistentvolumeclaim-v1',
  'io.k8s.api.core.v1.Secret': 'secret-v1',
  'io.k8s.api.core.v1.Service': 'service-v1',
  'io.k8s.api.core.v1.ServiceAccount': 'serviceaccount-v1',
  'io.k8s.api.networking.v1.Ingress': 'ingress-networking-v1',
  'io.k8s.api.networking.v1.NetworkPolicy': 'networkpolicy-networking-v1',
  'io.k8s.api.policy.v1.PodDisruptionBudget': 'poddisruptionbudget-policy-v1',
};
/** The kinds of the Prometheus operator, as in the names of its CRDs. */
const OPERATOR_KINDS = ['servicemonitor', 'prometheusrule'];
/** Keywords of JSON Schema that the documents use for validation. Descriptions and extensions are left out. */
const KEPT = new Set([
  ...['type', 'format', 'enum', 'required', 'pattern', 'minimum', 'maximum', 'minLength', 'maxLength'],
  ...['minItems', 'maxItems', 'minProperties', 'maxProperties', 'uniqueItems'],
]);
const QUANTITY = 'io.k8s.apimachinery.pkg.api.resource.Quantity';
const schemas = fileURLToPath(new URL('./schemas', import.meta.url));

for (const version of KUBERNETES_VERSIONS) writeKubernetes(version);
writeOperator();

function writeKubernetes(version) {
  const document = join(modulePath(`k8s.io/kubernetes@v${version}`), 'api/openapi-spec/swagger.json');
  const { definitions } = JSON.parse(readFileSync(document, 'utf8'));
  const directory = join(schemas, `v${version}`);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const used = {};
  const wanted = Object.keys(KINDS);
  for (let name = wanted.pop(); name !== undefined; name = wanted.pop()) {
    if (Object.hasOwn(used, name)) continue;
    used[name] = name === QUANTITY ? { type: ['string', 'number'] } : strict(definitions[name]);
    for (const [, other] of JSON.stringify(used[name]).matchAll(/"#\/definitions\/([^"]+)"/g))
      wanted.push(other);
  }
  for (const [name, file] of Object.entries(KINDS)) {
    const { group, version: apiVersion, kind } = definitions[name]['x-kubernetes-group-version-kind'][0];
    const root = used[name];
    root.properties.apiVersion = { enum: [group === '' ? apiVersion : `${group}/${apiVersion}`] };
    root.properties.kind = { enum: [kind] };
    root.required = [...new Set([...(root.required ?? []), 'apiVersion', 'kind', 'metadata'])];
    write(join(directory, file), { $ref: `definitions.schema.json#/definitions/${name}` });
  }
  const sorted = Object.entries(used).sort(([one], [other]) => (one < other ? -1 : 1));
  write(join(directory, 'definitions'), { definitions: Object.fromEntries(sorted) });
}

function writeOperator() {
  const operator = modulePath(
    `github.com/prometheus-operator/prometheus-operator@v${PROMETHEUS_OPERATOR_VERSION}`,
  );
  const directory = join(schemas, 'crds');
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  for (const kind of OPERATOR_KINDS) {
    const file = `example/prometheus-operator-crd/monitoring.coreos.com_${kind}s.yaml`;
    const crd = parse(readFileSync(join(operator, file), 'utf8'));
    const version = crd.spec.versions.find(({ name }) => name === 'v1');
    const schema = strict(version.schema.openAPIV3Schema);
    // The API server defines the metadata of every object.
    schema.properties.metadata = { type: 'object' };
    write(join(directory, `${kind}-monitoring-v1`), schema);
  }
}

/** A schema without descriptions and extensions, in which objects have no properties other than the declared ones. */
function strict(schema) {
  if (schema['x-kubernetes-int-or-string'] || schema.format === 'int-or-string')
    return { type: ['string', 'integer'] };
  const result = {};
  for (const [keyword, value] of Object.entries(schema)) if (KEPT.has(keyword)) result[keyword] = value;
  if (schema.$ref !== undefined) result.$ref = schema.$ref;
  if (schema.items !== undefined) result.items = strict(schema.items);
  for (const keyword of ['anyOf', 'oneOf', 'allOf'])
    if (schema[keyword] !== undefined) result[keyword] = schema[keyword].map(strict);
  if (typeof schema.additionalProperties === 'object')
    result.additionalProperties = strict(schema.additionalProperties);
  if (schema.properties !== undefined) {
    result.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, property]) => [name, strict(property)]),
    );
    if (schema.additionalProperties === undefined && !schema['x-kubernetes-preserve-unknown-fields'])
      result.additionalProperties = false;
  }
  return result;
}

/** Directory of a Go module, which the client of Go downloads and verifies. */
function modulePath(module) {
  const done = spawnSync('go', ['mod', 'download', '-json', module], { encoding: 'utf8' });
  const answer = JSON.parse(done.stdout);
  if (answer.Error !== undefined) throw new Error(answer.Error);
  return answer.Dir;
}

function write(path, schema) {
  writeFileSync(`${path}.schema.json`, `${JSON.stringify(schema, null, 1)}\n`);
}
