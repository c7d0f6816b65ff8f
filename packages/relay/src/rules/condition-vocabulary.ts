import type { ConditionVocabulary } from '@floe/conditions/vocabulary';

/**
 * The variables that a rule's `when` condition can use. docs/reference/conditions.md explains each
 * of them. A variable that an event does not have is empty.
 */
export const RELAY_CONDITION_VOCABULARY: ConditionVocabulary = {
  example: {
    event: 'shell',
    agent: new Map([
      ['name', 'agent'],
      ['version', '1.0'],
      ['mode', 'default'],
    ]),
    key: 'name',
    team: 'id',
    owner: 'name',
    user: 'name',
    session: 'id',
    cwd: '/path',
    repository: new Map([
      ['remote', 'host/path'],
      ['branch', 'main'],
    ]),
    shell: new Map<string, string | readonly string[] | boolean>([
      ['text', 'command'],
      ['commands', ['name']],
      ['unclear', false],
    ]),
    command: new Map<string, string | readonly string[]>([
      ['name', 'name'],
      ['path', '/path/name'],
      ['args', ['word']],
      ['via', ['name']],
    ]),
    tool: new Map<string, string | ReadonlyMap<string, string>>([
      ['name', 'name'],
      ['url', 'https://host/path'],
      ['command', 'command'],
      ['label', 'name'],
      ['arguments', new Map<string, string>()],
    ]),
    prompt: new Map<string, string | readonly string[]>([
      ['text', 'text'],
      ['attachments', ['/path']],
    ]),
    path: '/path',
  },
  dynamicVariables: new Set(['tool.arguments']),
};
