import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';

/** One operation of an OpenAPI document. */
export interface FuzzOperation {
  readonly id: string;
  readonly method: string;
  /** With `{name}` for parameters. */
  readonly path: string;
  readonly params: readonly FuzzParameter[];
  readonly query: readonly FuzzParameter[];
  /** Schema of the JSON body; undefined for none. */
  readonly body: Json | undefined;
  readonly responses: JsonObject;
}

export interface FuzzParameter {
  readonly name: string;
  readonly required: boolean;
  readonly schema: Json | undefined;
}

export function listFuzzOperations(document: JsonObject): FuzzOperation[] {
  const { paths } = document;
  if (!isJsonObject(paths)) throw new Error('the document has no paths');
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(isJsonObject(item) ? item : {}).map(([method, operation]) => {
      if (!isJsonObject(operation) || !isJsonObject(operation['responses']))
        throw new Error(`${path} is no operation`);
      const parameters = Array.isArray(operation['parameters']) ? operation['parameters'] : [];
      const { requestBody, operationId, responses } = operation;
      return {
        id: String(operationId),
        method: method.toUpperCase(),
        path,
        params: parameters.flatMap((one) => parameterIn(one, 'path')),
        query: parameters.flatMap((one) => parameterIn(one, 'query')),
        body: schemaIn(requestBody),
        responses,
      };
    }),
  );
}

function parameterIn(parameter: Json, where: string): FuzzParameter[] {
  if (!isJsonObject(parameter) || parameter['in'] !== where) return [];
  const { name, required, schema } = parameter;
  return [{ name: String(name), required: required === true, schema }];
}

function schemaIn(holder: Json | undefined): Json | undefined {
  const content = isJsonObject(holder) ? holder['content'] : undefined;
  const json = isJsonObject(content) ? content['application/json'] : undefined;
  return isJsonObject(json) ? json['schema'] : undefined;
}
