import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type RelayEvent, relayEvent } from '@floe/contract/api/relay';
import { RelaySchema } from '@floe/contract/config/relay';
import type { JsonObject } from '@floe/contract/json';
import { compileRelayConfig } from '../compile-relay-config.ts';
import { evaluateRelayEvent } from '../evaluate-event.ts';
import { compileToolPattern, type ToolPattern } from '../rules/match-tool.ts';
import { exceedsHookLimits } from './hook-adapter.ts';
import { HOOK_ADAPTERS } from './hook-adapters.ts';
import { createToolCallEvents } from './tool-events.ts';

const COMMON = { agent: { name: 'codex' } };
const PATCH = '*** Begin Patch\n  *** Update File: .env\n+A=1\n*** End Patch';

function eventsOf(agent: string, payload: JsonObject) {
  return HOOK_ADAPTERS.get(agent)?.read(payload).events ?? [];
}

test('an input that is nested too deeply for JSON has events with its names and values', (t) => {
  const deep: JsonObject = JSON.parse(`${'{"a":['.repeat(50_000)}"rm -r /"${']}'.repeat(50_000)}`);
  // Node 24 and older cannot serialize such an input.
  t.mock.method(JSON, 'stringify', () => {
    throw new RangeError('Maximum call stack size exceeded');
  });
  const [shell] = createToolCallEvents('Bash', deep, COMMON);
  assert.equal(shell?.shell?.dialect, 'unknown');
  assert.match(shell?.shell?.command ?? '', /^a\na\n.*\nrm -r \/$/s);
  for (const name of ['Write', 'apply_patch']) {
    const events = createToolCallEvents(name, deep, COMMON);
    assert.match(events.at(-1)?.file?.content ?? '', /\nrm -r \/$/, name);
    assert.equal(exceedsHookLimits(events), true, name);
  }
  for (const adapter of HOOK_ADAPTERS.values())
    for (const hook_event_name of ['UserPromptSubmit', 'beforeSubmitPrompt', 'BeforeAgent'])
      assert.doesNotThrow(() => adapter.read({ hook_event_name, prompt: deep }), adapter.agent);
});

test('the hook name of a permission request may start with a lowercase letter', () => {
  for (const hook_event_name of ['PermissionRequest', 'permissionRequest', 'PreToolUse']) {
    const payload = { hook_event_name, tool_name: 'Bash', tool_input: { command: 'ls' } };
    const [event] = eventsOf('claude-code', payload);
    assert.equal(event?.permission_request === true, hook_event_name !== 'PreToolUse', hook_event_name);
  }
});

test('a shell tool whose command cannot be read is a command that cannot be analyzed', () => {
  for (const input of [
    {},
    { command: 5 },
    { command: null },
    { command: { text: 'rm' } },
    { cmd: ['rm', 5] },
  ]) {
    const [event] = createToolCallEvents('Bash', input, COMMON);
    assert.deepEqual(event?.shell, { command: JSON.stringify(input), dialect: 'unknown' });
  }
  for (const [agent, payload] of [
    ['cursor', { hook_event_name: 'beforeShellExecution', command: ['rm', 'x'] }],
    ['windsurf', { agent_action_name: 'pre_run_command', tool_info: { command_line: 5 } }],
    ['copilot-cli', { toolName: 'bash', toolArgs: '{"command": "rm -r x"' }],
    ['cline', { hookName: 'PreToolUse', preToolUse: { toolName: 'execute_command', parameters: 'rm -r x' } }],
  ] as const)
    assert.equal(eventsOf(agent, payload)[0]?.shell?.dialect, 'unknown', agent);
});

test('a tool that types text into a running shell is a shell command', () => {
  for (const [name, input] of [
    ['write_bash', { shellId: '1', input: 'rm -r x{enter}' }],
    ['write_stdin', { session_id: 1, chars: 'rm -r x{enter}' }],
    ['send_to_terminal', { id: '1', command: 'rm -r x{enter}' }],
  ] as const)
    assert.equal(createToolCallEvents(name, input, COMMON)[0]?.shell?.command, 'rm -r x', name);
});

test('keys that type no text are a tool call only', () => {
  const typed = (chars: string) =>
    createToolCallEvents('write_stdin', { chars }, COMMON).map(
      ({ shell, tool }) => shell?.command ?? tool?.name,
    );
  for (const keys of ['\x03', '\x1b[A', '\x1b[1;5C\r', '{enter}', '{up}{enter}', '\x04', '', '\x1bOA'])
    assert.deepEqual(typed(keys), ['write_stdin'], JSON.stringify(keys));
  assert.deepEqual(typed('\x03rm -r x\r'), ['rm -r x', 'write_stdin']);
  assert.deepEqual(typed('cd a{enter}rm -r x{Enter}'), ['cd a\nrm -r x', 'write_stdin']);
  assert.deepEqual(typed('\x1b:wq\r'), [':wq', 'write_stdin']);
  assert.deepEqual(typed('rx\x7fm -r x\r'), ['rx\x7fm -r x', 'write_stdin'], 'edited lines stay unclear');
  assert.deepEqual(typed('{up}{backspace} -r{enter}'), ['\x1b\x1b -r', 'write_stdin']);
  assert.deepEqual(typed('rm {a,b} {x}{ctrl+c}'), ['rm {a,b} {x}', 'write_stdin']);
});

test('rules for tool calls still match tools that are also shell commands or file accesses', () => {
  for (const [name, input] of [
    ['write_stdin', { chars: 'ls' }],
    ['write_bash', { input: 'ls' }],
    ['write_powershell', { input: 'ls' }],
    ['send_to_terminal', { command: 'ls' }],
    ['Monitor', { command: 'ls' }],
    ['multi_replace_string_in_file', { replacements: [{ filePath: 'x', newString: 'a' }] }],
  ] as const) {
    const events = createToolCallEvents(name, input, COMMON);
    assert.equal(events.length, 2, name);
    assert.deepEqual(events[1]?.tool, { name, arguments: input });
  }
});

test('text that is typed into PowerShell is analyzed as PowerShell', () => {
  for (const [name, dialect] of [
    ['write_powershell', 'powershell'],
    ['write_bash', 'bash'],
    ['powershell', 'powershell'],
  ] as const)
    assert.equal(createToolCallEvents(name, { command: 'ls' }, COMMON)[0]?.shell?.dialect, dialect, name);
});

test('tool input that is not an object is kept as an argument', () => {
  const payload = { hook_event_name: 'beforeMCPExecution', tool_name: 'post', tool_input: 'token=1' };
  assert.deepEqual(eventsOf('cursor', payload)[0]?.tool?.arguments, { input: 'token=1' });
});

test('every file of a patch is an event, in every form in which agents send patches', () => {
  for (const input of [{ input: PATCH }, { command: PATCH }, { command: ['apply_patch', PATCH] }])
    assert.deepEqual(
      createToolCallEvents('apply_patch', input, COMMON).map(({ file }) => file?.path),
      ['.env'],
    );
  const many = Array.from({ length: 150 }, (_, at) => `*** Add File: f${at}\n+${at}`);
  const events = createToolCallEvents('apply_patch', { input: many.join('\n') }, COMMON);
  assert.equal(events.length, 150);
  assert.equal(events[149]?.file?.content, '*** Add File: f149\n+149');
  const [unnamed] = createToolCallEvents('apply_patch', { input: 'no file' }, COMMON);
  assert.equal(unnamed?.tool?.name, 'apply_patch');
});

test('content that looks like the name of a file stays with the file that it changes', () => {
  const contentsOf = (patch: string) =>
    createToolCallEvents('apply_patch', { input: patch }, COMMON).map(({ file }) => [
      file?.path,
      file?.content,
    ]);
  const removed = '*** Begin Patch\n*** Update File: q.sql\n--- old comment\n+++ z\n+secret\n*** End Patch';
  assert.ok(contentsOf(removed).some(([path, content]) => path === 'q.sql' && content?.includes('+secret')));
  const indented = '*** Update File: a\n *** Update File: b\n+secret\n*** Update File: c\n+d';
  assert.deepEqual(contentsOf(indented), [
    ['a', '*** Update File: a\n *** Update File: b\n+secret\n'],
    ['b', '*** Update File: a\n *** Update File: b\n+secret\n'],
    ['c', '*** Update File: c\n+d'],
  ]);
  const [[path] = []] = contentsOf('*** Update File: a.sql\n--- .env\n+x');
  assert.equal(path, 'a.sql', 'one line of a diff does not name a file');
});

test('the names of files in every format of a diff are found', () => {
  const pathsOf = (patch: string) =>
    createToolCallEvents('apply_patch', { input: patch }, COMMON).map(({ file }) => file?.path);
  assert.deepEqual(pathsOf('--- a/x\n+++ b/.env\n@@ -1 +1 @@\n+A=1'), ['x', '.env']);
  assert.deepEqual(pathsOf('--- a/x\r\n+++ b/.env\t2026-01-01\r\n'), ['x', '.env']);
  assert.deepEqual(pathsOf('--- "a/\\056env"\n+++ "b/\\056env"\n'), ['.env']);
  assert.deepEqual(pathsOf('*** x\t1\n--- .env\t1\n***************\n'), ['x', '.env']);
  assert.deepEqual(pathsOf('diff --git a/x b/.env\nrename from x\nrename to .env\n'), ['.env']);
  assert.deepEqual(pathsOf('--- a/.env\n+++ /dev/null\n-A=1'), ['.env']);
  const named = '*** Update File: x\n--- a/.env\n+++ b/.env\n+A=1';
  assert.deepEqual(pathsOf(named), ['x', '.env']);
});

test('a call with several edits has the text of all of them', () => {
  const edits = [{ new_string: 'a' }, { new_string: 'b' }];
  const [event] = createToolCallEvents('MultiEdit', { file_path: 'x', edits }, COMMON);
  assert.equal(event?.file?.content, 'a\nb');
  const replacements = [
    { filePath: 'x', newString: 'a' },
    { filePath: 'y', newString: 'b' },
  ];
  assert.deepEqual(
    createToolCallEvents('multi_replace_string_in_file', { replacements }, COMMON).flatMap(
      ({ file }) => file ?? [],
    ),
    [
      { path: 'x', content: 'a' },
      { path: 'y', content: 'b' },
    ],
  );
  const pathsOf = (input: JsonObject) =>
    createToolCallEvents('MultiEdit', input, COMMON).map(({ file }) => file?.path);
  assert.deepEqual(pathsOf({ edits: [{ path: 'x' }, { path: 'y' }] }), ['x', 'y']);
  for (const field of ['target_notebook', 'absolutePath']) assert.deepEqual(pathsOf({ [field]: 'x' }), ['x']);
});

test('a field that the agent may ignore does not hide the command or the file that it uses', () => {
  const commandsOf = (tool: string, input: JsonObject) =>
    createToolCallEvents(tool, input, COMMON).map(({ shell }) => shell?.command);
  assert.deepEqual(commandsOf('exec_command', { command: 'ls', cmd: 'rm -r x' }), ['ls', 'rm -r x']);
  assert.deepEqual(commandsOf('shell', { command: 'ls', argv: ['rm', 'a b'] }), ['ls', "rm 'a b'"]);
  assert.deepEqual(commandsOf('shell', { command: 'ls', cmd: ['rm', 5] }), [
    'ls',
    JSON.stringify({ command: 'ls', cmd: ['rm', 5] }),
  ]);
  assert.deepEqual(commandsOf('write_bash', { command: 'ls', input: 'rm -r x{enter}' })[1], 'rm -r x');
  const pathsOf = (tool: string, input: JsonObject) =>
    createToolCallEvents(tool, input, COMMON).map(({ event, file }) => `${event} ${file?.path}`);
  assert.deepEqual(pathsOf('view', { file_path: 'a', path: '.env' }), ['file_read a', 'file_read .env']);
  const [write] = createToolCallEvents('create', { path: 'a', content: 'x', file_text: 'y' }, COMMON);
  assert.equal(write?.file?.content, 'x\ny');
  const twice = { patch: '*** Update File: a\n', input: '*** Update File: .env\n' };
  assert.deepEqual(pathsOf('apply_patch', twice), ['file_write a', 'file_write .env']);
});

test('a search reads the files that its filter names', () => {
  const pathsOf = (tool: string, input: JsonObject) =>
    createToolCallEvents(tool, input, COMMON).map(({ file }) => file?.path);
  assert.deepEqual(pathsOf('Grep', { pattern: 'KEY', path: '/srv', glob: '**/.env' }), ['/srv', '/srv/.env']);
  assert.deepEqual(pathsOf('Grep', { pattern: 'KEY', glob: '{.env,*.ts,!x}' }), ['./.env']);
  assert.deepEqual(pathsOf('search_file_content', { path: 'a', include: '*.md' }), ['a']);
});

test('a connector that the agent does not name may be any connector', () => {
  const calls: readonly (readonly [string, JsonObject])[] = [
    ['cursor', { hook_event_name: 'preToolUse', tool_name: 'MCP:post', tool_input: {} }],
    ['cursor', { hook_event_name: 'beforeMCPExecution', tool_name: 'post', url: '', command: '' }],
    ['windsurf', { agent_action_name: 'pre_mcp_tool_use', tool_info: { mcp_tool_name: 'post' } }],
    [
      'cline',
      {
        hookName: 'PreToolUse',
        preToolUse: { toolName: 'use_mcp_tool', parameters: { tool_name: 'post' } },
      },
    ],
  ];
  for (const [agent, payload] of calls)
    assert.deepEqual(
      eventsOf(agent, payload).map(({ tool }) => tool?.server),
      ['unknown'],
      agent,
    );
  const context = { url: 'https://mcp.example', tool_name: 'post' };
  const [event] = eventsOf('gemini-cli', {
    hook_event_name: 'BeforeTool',
    tool_name: 'mcp_x_post',
    mcp_context: context,
  });
  assert.equal(event?.tool?.url, 'https://mcp.example');
});

test('the tools of connectors have the name of the connector as a prefix in Copilot CLI', () => {
  const name = 'github-mcp-server-delete_file';
  for (const payload of [
    { toolName: name, toolArgs: '{}' },
    { hook_event_name: 'PreToolUse', tool_name: name, tool_input: {} },
  ]) {
    const events = eventsOf('copilot-cli', payload);
    assert.deepEqual(
      events.map(({ tool }) => [tool?.name, tool?.server]),
      [[name, 'unknown']],
    );
    const matches = (pattern: ToolPattern, permits = false) =>
      events.map(({ tool }) => tool && compileToolPattern(pattern, permits)?.(tool))[0];
    const server_url = ['https://api.githubcopilot.com/mcp/*'];
    assert.equal(matches({ tool: ['delete_*'] }), 'yes');
    assert.equal(matches({ tool: ['delete_*'] }, true), 'maybe');
    assert.equal(matches({ tool: ['delete_*'], server_url }), 'maybe');
    assert.equal(matches({ tool: ['file'] }), 'no');
  }
  assert.equal(eventsOf('copilot-cli', { toolName: 'read-file', toolArgs: '{}' })[0]?.event, 'tool');
  assert.equal(eventsOf('copilot-cli', { toolName: 'web_fetch' })[0]?.tool?.server, undefined);
  assert.equal(createToolCallEvents('my-tool', {}, COMMON)[0]?.tool?.server, undefined);
});

test('a task that the agent creates and runs is a shell command', () => {
  const input = { workspaceFolder: '/srv', task: { label: 'x', command: 'git push', args: ['-f'] } };
  const [event] = createToolCallEvents('create_and_run_task', input, COMMON);
  assert.equal(event?.shell?.command, 'git push -f');
});

test('no text that a model can choose makes an event invalid, and a long path still names its file', () => {
  const long = `${'a/../'.repeat(2_000)}.env`;
  const [file, ...others] = createToolCallEvents(
    'Read',
    { file_path: long, path: 'x'.repeat(9_000) },
    COMMON,
  );
  assert.equal(file?.file?.path, '.env');
  const [shell] = createToolCallEvents('Bash', { command: 'ls', workdir: 'x'.repeat(9_000) }, COMMON);
  assert.equal(shell?.cwd, undefined);
  for (const event of [file, shell, ...others]) assert.ok(relayEvent.safeParse(event).success);
});

test('a working directory can be relative to the one of the agent', () => {
  const cwdOf = (directory: string) =>
    createToolCallEvents('run_shell_command', { command: 'ls', directory }, { ...COMMON, cwd: '/srv' })[0]
      ?.cwd;
  assert.deepEqual(['sub', '/etc', '~/x', 'C:\\x'].map(cwdOf), ['/srv/sub', '/etc', '~/x', 'C:\\x']);
});

test('a tool call of Copilot CLI without a valid name is still a tool call', () => {
  for (const toolName of [null, 5, ''])
    assert.equal(eventsOf('copilot-cli', { toolName, toolArgs: { a: 1 } })[0]?.tool?.name, 'unknown');
});

test('a prompt in an unknown form is the text of the payload', () => {
  const prompt = [{ type: 'text', text: 'secret' }];
  for (const [agent, payload] of [
    ['claude-code', { hook_event_name: 'UserPromptSubmit', prompt }],
    ['cursor', { hook_event_name: 'beforeSubmitPrompt', text: 'secret' }],
    ['windsurf', { agent_action_name: 'pre_user_prompt', tool_info: { prompt: 'secret' } }],
    ['gemini-cli', { hook_event_name: 'BeforeAgent', prompt }],
    ['cline', { hookName: 'UserPromptSubmit', userPromptSubmit: { text: 'secret' } }],
    ['copilot-cli', { prompt }],
  ] as const)
    assert.match(eventsOf(agent, payload)[0]?.prompt?.text ?? '', /secret/, agent);
  assert.equal(eventsOf('gemini-cli', { hook_event_name: 'BeforeAgent', prompt: '' })[0]?.prompt?.text, '');
});

test('a tool that accesses a file in an unknown form may access any file', () => {
  const rules = [
    { name: 'env', on: ['file_read', 'file_write'], match: { path: '/x/.env' }, decision: 'deny' },
  ];
  const relay = compileRelayConfig(RelaySchema.parse({ mode: 'enforce', self_tamper: 'off', rules }));
  const identity = { key: 'k', team: null, owner: null };
  const decide = (events: readonly RelayEvent[]) =>
    events.map((event) => evaluateRelayEvent(event, { relay, grammar: null, identity, nowMs: 0 }).decision);
  for (const [name, input] of [
    ['Read', { target: '.env' }],
    ['Read', { input: '.env' }],
    ['Write', { destination: '.env', content: 'x' }],
    ['apply_patch', { changes: 'x' }],
  ] as const)
    assert.deepEqual(decide(createToolCallEvents(name, input, COMMON)), ['abstain', 'ask'], name);
  assert.deepEqual(decide(createToolCallEvents('Read', { file_path: '/x/a' }, COMMON)), ['abstain']);
  assert.deepEqual(decide(createToolCallEvents('Glob', { pattern: '*.ts' }, COMMON)), ['abstain']);
  assert.deepEqual(decide(eventsOf('windsurf', { agent_action_name: 'pre_read_code' })), ['ask']);
  assert.deepEqual(decide(eventsOf('cursor', { hook_event_name: 'beforeReadFile' })), ['ask']);
  const many = createToolCallEvents('read_many_files', { include: ['/x/.env', '**/.env'] }, COMMON);
  assert.deepEqual(decide(many), ['deny', 'abstain']);
});
