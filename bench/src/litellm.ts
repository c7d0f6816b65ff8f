import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  CALLER_HEADERS,
  CALLER_KEY,
  type Candidate,
  CHAT_MODEL,
  MESSAGES_MODEL,
  type MockPorts,
  OPENAI_ENDPOINT,
  type UnavailableCandidate,
} from './candidate.ts';

const BENCH = join(import.meta.dirname, '..');
/** Every package with its version and hashes; `lock.py` beside it writes the file. */
const REQUIREMENTS = join(BENCH, 'litellm', 'requirements.txt');
const VERSION = /^litellm==(\S+)/m.exec(readFileSync(REQUIREMENTS, 'utf8'))?.[1] ?? 'unknown';
const HOME = join(BENCH, '.cache', `litellm-${VERSION}`);
const PROGRAM = join(HOME, 'bin', 'litellm');
/** The versions of Python that requirements.txt has hashes for. */
const PYTHONS = ['python3', 'python3.14', 'python3.13', 'python3.12', 'python3.11'];
const INSTALL_MS = 300_000;
const START_MS = 120_000;

/**
 * LiteLLM's proxy with the settings that its page "Production Best Practices" names for one worker without a database:
 * a master key, a request timeout, JSON logs of errors only, no `.env` file, and its bundled price list.
 */
export function prepareLitellm(workDir: string, upstreams: MockPorts): Candidate | UnavailableCandidate {
  const why = installLitellm();
  if (why !== null) return { id: 'litellm', why };
  const dir = join(workDir, 'litellm');
  mkdirSync(dir);
  const config = join(dir, 'config.yaml');
  writeFileSync(config, litellmConfig(upstreams));
  return {
    id: 'litellm',
    about: `litellm ${VERSION}, one worker, no database`,
    ...OPENAI_ENDPOINT,
    headers: CALLER_HEADERS,
    translated: { ...OPENAI_ENDPOINT, headers: CALLER_HEADERS, model: MESSAGES_MODEL },
    ownClient: true,
    program: (port) => ({
      file: PROGRAM,
      args: ['--config', config, '--host', '127.0.0.1', '--port', String(port), '--num_workers', '1'],
      cwd: dir,
      startMs: START_MS,
      env: {
        LITELLM_MASTER_KEY: CALLER_KEY,
        LITELLM_MODE: 'PRODUCTION',
        LITELLM_LOG: 'ERROR',
        ...LOCAL_FILES,
        // The mock repeats one event. LiteLLM would end such a stream after 100 events as a model that repeats itself.
        REPEATED_STREAMING_CHUNK_LIMIT: '1000000000',
      },
    }),
  };
}

/** LiteLLM reads the files of its package instead of downloading them at the start. */
const LOCAL_FILES = {
  LITELLM_LOCAL_MODEL_COST_MAP: 'True',
  LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS: 'True',
  LITELLM_LOCAL_AUTOROUTER_PRESETS: 'True',
  LITELLM_LOCAL_BLOG_POSTS: 'True',
  LITELLM_LOCAL_POLICY_TEMPLATES: 'True',
};

function litellmConfig({ chat, messages }: MockPorts): string {
  return `model_list:
  - model_name: ${CHAT_MODEL}
    litellm_params: { model: openai/${CHAT_MODEL}, api_base: "http://127.0.0.1:${chat}/v1", api_key: sk-upstream }
  - model_name: ${MESSAGES_MODEL}
    litellm_params: { model: anthropic/${MESSAGES_MODEL}, api_base: "http://127.0.0.1:${messages}", api_key: sk-upstream }
litellm_settings: { request_timeout: 600, set_verbose: false, json_logs: true }
`;
}

/** Installs LiteLLM beside the bench, once. Gives the reason if that is impossible, or null. */
function installLitellm(): string | null {
  if (existsSync(PROGRAM)) return null;
  const python = PYTHONS.find(isUsablePython);
  if (python === undefined) return 'it needs Python 3.11 to 3.14 with venv';
  process.stderr.write(`bench: installing litellm ${VERSION} into bench/.cache (670 MB, once)\n`);
  rmSync(HOME, { recursive: true, force: true });
  const venvPython = join(HOME, 'bin', 'python');
  const install = ['install', '--quiet', '--disable-pip-version-check', '--no-compile'];
  install.push('--only-binary=:all:', '--require-hashes', '-r', REQUIREMENTS);
  const done =
    runPython(python, ['-m', 'venv', '--without-pip', HOME]) &&
    // The pip of the system, if it can install into other environments: not every system's venv contains one.
    (runPython(python, ['-m', 'pip', '--python', venvPython, '--version'], 'ignore')
      ? runPython(python, ['-m', 'pip', '--python', venvPython, ...install])
      : runPython(venvPython, ['-m', 'ensurepip']) && runPython(venvPython, ['-m', 'pip', ...install]));
  if (done && existsSync(PROGRAM)) return null;
  rmSync(HOME, { recursive: true, force: true });
  return 'pip could not install it (its message is above)';
}

function isUsablePython(python: string): boolean {
  const check = 'import sys, venv; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))';
  return runPython(python, ['-c', check], 'ignore');
}

/** Whether a program of Python ends with 0. */
function runPython(python: string, args: readonly string[], output: 'ignore' | 2 = 2): boolean {
  const options = { stdio: ['ignore', output, output] as const, timeout: INSTALL_MS };
  return spawnSync(python, args, { ...options, stdio: [...options.stdio] }).status === 0;
}
