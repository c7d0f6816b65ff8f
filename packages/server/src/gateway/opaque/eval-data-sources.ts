import { Fault } from '@floe/contract/faults';
import { isJsonObject, type JsonObject } from '@floe/contract/json';

/** Sources that contain the data of an evaluation, or the id of its file. Other sources select data of the whole account. */
const OWN_SOURCES: ReadonlySet<unknown> = new Set(['file_id', 'file_content']);

/**
 * Requires that a request about evaluations contains its data or the ids of its files. Stored completions, responses
 * and logs are selected by a filter, which can match those of other callers.
 * @throws Fault `unsupported_parameter`
 */
export function requireOwnEvalData({ data_source_config: config, data_source: data }: JsonObject): void {
  if (isStated(config) && !(isJsonObject(config) && config['type'] === 'custom'))
    throw sharedDataFault('data_source_config.type', '"custom"');
  if (!isStated(data)) return;
  const source = isJsonObject(data) ? data['source'] : undefined;
  if (!isJsonObject(source) || !OWN_SOURCES.has(source['type']))
    throw sharedDataFault('data_source.source.type', '"file_id" or "file_content"');
}

function isStated(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function sharedDataFault(param: string, supported: string): Fault {
  return new Fault(
    'unsupported_parameter',
    `"${param}" must be ${supported}. Other types read the data of all callers that share the account at the provider.`,
    { param },
  );
}
