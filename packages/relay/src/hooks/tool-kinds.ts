/**
 * `typing` tools type text into a running shell. `search` tools read or list files, by default in the working directory.
 */
export type ToolKind =
  | 'shell'
  | 'powershell'
  | 'typing'
  | 'powershell typing'
  | 'read'
  | 'search'
  | 'write'
  | 'patch';

/** Kinds of built-in tools, by lowercase name without separators. A call of any other tool is a tool call. */
const KIND_BY_TOOL: Readonly<Record<string, ToolKind>> = {
  bash: 'shell',
  shell: 'shell',
  shellcommand: 'shell',
  runshell: 'shell',
  runbash: 'shell',
  executebash: 'shell',
  executeshell: 'shell',
  localshell: 'shell',
  exec: 'shell',
  execcommand: 'shell',
  executecommand: 'shell',
  runcommand: 'shell',
  runshellcommand: 'shell',
  runterminalcommand: 'shell',
  runterminalcmd: 'shell',
  createandruntask: 'shell',
  runinterminal: 'shell',
  terminal: 'shell',
  monitor: 'shell',
  sendtoterminal: 'typing',
  writebash: 'typing',
  writestdin: 'typing',
  powershell: 'powershell',
  writepowershell: 'powershell typing',
  read: 'read',
  readfile: 'read',
  readmanyfiles: 'read',
  view: 'read',
  viewimage: 'read',
  openfile: 'read',
  readnotebook: 'read',
  notebookread: 'read',
  grep: 'search',
  grepsearch: 'search',
  grepfiles: 'search',
  ripgrep: 'search',
  rg: 'search',
  search: 'search',
  searchfiles: 'search',
  searchfilecontent: 'search',
  glob: 'search',
  ls: 'search',
  listdir: 'search',
  listdirectory: 'search',
  listfiles: 'search',
  write: 'write',
  writefile: 'write',
  writetofile: 'write',
  create: 'write',
  createfile: 'write',
  edit: 'write',
  editfile: 'write',
  editfiles: 'write',
  multiedit: 'write',
  multireplacestringinfile: 'write',
  notebookedit: 'write',
  editnotebook: 'write',
  editnotebookfile: 'write',
  searchreplace: 'write',
  insertedit: 'write',
  inserteditintofile: 'write',
  replace: 'write',
  replaceinfile: 'write',
  replacestringinfile: 'write',
  strreplaceeditor: 'write',
  strreplace: 'write',
  delete: 'write',
  deletefile: 'write',
  applypatch: 'patch',
};

/** Built-in tools that rules may also match by their name, as tool calls. */
const NAMED_TOOLS = new Set([
  'createandruntask',
  'monitor',
  'multireplacestringinfile',
  'sendtoterminal',
  'writebash',
  'writepowershell',
  'writestdin',
]);

/** Returns the kind of a built-in tool. Returns undefined for any other tool. */
export function findToolKind(name: string): ToolKind | undefined {
  const plain = normalizeToolName(name);
  return Object.hasOwn(KIND_BY_TOOL, plain) ? KIND_BY_TOOL[plain] : undefined;
}

/** Returns whether rules may also match this built-in tool by its name. */
export function isMatchedByName(name: string): boolean {
  return NAMED_TOOLS.has(normalizeToolName(name));
}

function normalizeToolName(name: string): string {
  return name.toLowerCase().replaceAll(/[_\s-]/g, '');
}
