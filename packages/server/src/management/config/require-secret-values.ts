import { Fault } from '@floe/contract/faults';
import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import { castToJson } from '../validate-input.ts';
import type { ConfigDocument } from './config-document.ts';
import type { ExistingResource, OrgReadContext } from './document-resource-kind.ts';
import { getDocumentResourceKind } from './document-resource-kinds.ts';
import { SecretPlaceholders } from './secret-placeholders.ts';

type Path = readonly (string | number)[];

/** A secret without a value in the document. */
interface KeptSecret {
  readonly variable: string;
  readonly section: string;
  /** Name of its resource. */
  readonly name: string;
  /** Path in the entry of the resource, with the credential name in place of its index. */
  readonly path: Path;
}

/**
 * Requires that the document or the database contains the value of every secret. Checks all secrets
 * before anything is applied, so that one error lists all missing values. A missing platform key alone
 * does not cause an error, because a document may name keys that it does not create. It is listed only
 * if other secrets are missing too.
 *
 * @throws Fault `invalid_request` that lists each variable with its purpose
 */
export async function requireSecretValues(document: ConfigDocument, context: OrgReadContext): Promise<void> {
  const org = castToJson(JSON.parse(JSON.stringify(document.org)));
  const kept = [...document.keptSecrets].map(([path, variable]) => toKeptSecret(org, path, variable));
  const missing: KeptSecret[] = [];
  for (const [section, secrets] of Map.groupBy(kept, (secret) => secret.section)) {
    const existing = (await getDocumentResourceKind(section).listExisting?.(context)) ?? [];
    const byName = new Map(existing.map((resource) => [resource.id, resource]));
    missing.push(...secrets.filter((secret) => !isStored(secret, byName.get(secret.name))));
  }
  if (missing.some(({ section }) => section !== 'keys'))
    throw new Fault('invalid_request', describeMissing(missing), { param: 'variables' });
}

function toKeptSecret(org: Json, pathText: string, variable: string): KeptSecret {
  const [section, index, ...rest]: Path = JSON.parse(pathText);
  const entry = memberOf(memberOf(org, section), index);
  const name = String(memberOf(entry, section === 'providers' ? 'id' : 'name'));
  const at = rest[0] === 'api_key' ? 0 : rest[0] === 'credentials' ? rest[1] : undefined;
  const credential = at === undefined ? undefined : memberOf(memberOf(entry, 'credentials'), at);
  const path = credential === undefined ? rest : ['credentials', String(memberOf(credential, 'name'))];
  return { variable, section: String(section), name, path };
}

/** Resources of floe.yaml and of the environment do not change here, so their secrets are not needed. */
function isStored({ section, path }: KeptSecret, resource: ExistingResource | undefined): boolean {
  if (resource === undefined) return false;
  if (resource.source !== 'console' || section === 'keys') return true;
  const placeholders = new SecretPlaceholders();
  const entry = resource.toEntry(placeholders);
  if (entry === null) return true;
  const [first = '', second] = path;
  const field = memberOf(placeholders.insertInto(entry), first);
  if (first === 'credentials')
    return Array.isArray(field) && field.some((one: Json) => memberOf(one, 'name') === second);
  const value = second === undefined ? field : memberOf(field, second);
  return first === 'outbound' ? String(value).includes('${') : value !== undefined && value !== null;
}

function describeMissing(missing: readonly KeptSecret[]): string {
  const lines = [...Map.groupBy(missing, ({ variable }) => variable)].map(
    ([variable, uses]) => `  ${variable}: ${uses.map(describeSecret).join('; ')}`,
  );
  return ['Some secrets have no value and are not stored yet. Set these variables:', ...lines].join('\n');
}

/** Describes a secret like the placeholders of an export. */
function describeSecret({ section, name, path }: Omit<KeptSecret, 'variable'>): string {
  const [field, part] = path;
  if (section === 'keys') return `the platform key "${name}"`;
  if (section === 'channels') return `the ${field} of the channel "${name}"`;
  const what =
    field === 'credentials'
      ? `key of the credential "${part}"`
      : field === 'headers'
        ? `header ${part}`
        : field === 'outbound'
          ? 'user name and password of the proxy'
          : String(part ?? field).replaceAll('_', ' ');
  return `the ${what} of the provider "${name}"`;
}

function memberOf(value: Json | undefined, step: string | number | undefined): Json | undefined {
  if (Array.isArray(value)) return typeof step === 'number' ? value[step] : undefined;
  return isJsonObject(value) && step !== undefined ? (value satisfies JsonObject)[step] : undefined;
}
