import { JsonMemberNameLookup } from '@floe/wire/json-member-name-lookup';

/** Members whose value is the id of a resource, anywhere in a body. */
export const ID_MEMBERS: ReadonlySet<string> = new Set([
  'input_file_id',
  'training_file',
  'validation_file',
  'previous_response_id',
  'vector_store_id',
]);
/** Members whose value is a list of ids. */
export const ID_LIST_MEMBERS: ReadonlySet<string> = new Set([
  'file_ids',
  'vector_store_ids',
  'input_files',
  'validation_files',
]);
/** Members whose value is the name of a resource, or a list of names (Gemini). A name contains the id. */
export const RESOURCE_NAME_MEMBERS: ReadonlySet<string> = new Set([
  'cachedContent',
  'cached_content',
  'fileSearchStoreNames',
  'file_search_store_names',
]);
/** Members whose value is the URL of a file, which the provider may store (Gemini). */
export const FILE_URL_MEMBERS: ReadonlySet<string> = new Set(['fileUri', 'file_uri']);
/** Members whose value is an id, or an object with an id. */
export const RESOURCE_MEMBERS: ReadonlySet<string> = new Set(['conversation', 'container']);
/**
 * Members whose value is an id, a list of ids or an object with an id, in requests about resources. In prompts, such
 * names have other meanings.
 */
export const STATE_MEMBERS: ReadonlySet<string> = new Set([
  'agent',
  'agent_id',
  'agent_ids',
  'agents',
  'assistant_id',
  'credential_id',
  'deployment_id',
  'environment_id',
  'environment_template_id',
  'library_ids',
  'memory_store_id',
  'session_id',
  'session_ids',
  'thread_id',
  'user_profile_id',
  'vault_id',
  'vault_ids',
  'video',
]);

/** The members of prompts that can contain an id. `data_source` contains the files of evaluations. */
export const ALL_REFERENCE_NAMES: readonly string[] = [
  ...ID_MEMBERS,
  ...ID_LIST_MEMBERS,
  ...RESOURCE_MEMBERS,
  ...RESOURCE_NAME_MEMBERS,
  ...FILE_URL_MEMBERS,
  'file_id',
  'skill_id',
  'container_id',
  'data_source',
];
/** If a scan finds none of these names in a prompt, the prompt refers to no resource. */
export const REFERENCE_NAMES = new JsonMemberNameLookup<string>(ALL_REFERENCE_NAMES);
