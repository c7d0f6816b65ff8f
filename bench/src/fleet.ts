import { type Absent, CANDIDATES, type Candidate, type CandidateId, prepare } from './candidates.ts';
import { pinMyself, pinning } from './machine.ts';
import type { MockDialect } from './mock/answers.ts';
import { type Mock, startMock } from './mock/mock.ts';
import { freePort, pinned, type Running, start } from './processes.ts';

/** A candidate that is up. */
export interface Member {
  readonly candidate: Candidate;
  running: Running;
}

/** The member as it is asked for another dialect upstream; null for what does not translate. */
export function translating({ candidate, running }: Member): Member | null {
  return candidate.translated ? { candidate: { ...candidate, ...candidate.translated }, running } : null;
}

/** Everything that is measured, all of it running, idle but for the one under load. */
export class Fleet {
  readonly pins = pinning();
  readonly members: Member[] = [];
  readonly absent: Absent[] = [];
  mocks: Readonly<Record<MockDialect, Mock>> | null = null;
  #workDir: string;

  constructor(workDir: string) {
    this.#workDir = workDir;
  }

  /** Pins this process, starts the mocks, then every candidate that can take part. */
  async start(wanted: ReadonlySet<CandidateId>): Promise<void> {
    if ('rest' in this.pins) pinMyself(this.pins.rest);
    const chat = await startMock(this.#workDir, 'chat');
    const messages = await startMock(this.#workDir, 'messages');
    this.mocks = { chat, messages };
    const upstreams = { chat: chat.running.port, messages: messages.running.port };
    for (const id of CANDIDATES) {
      if (!wanted.has(id)) continue;
      const prepared = prepare(id, this.#workDir, upstreams);
      if ('why' in prepared) this.absent.push(prepared);
      else this.members.push({ candidate: prepared, running: await this.launch(prepared) });
    }
  }

  /** A process of a candidate, alone on the gateway's core. */
  async launch({ program }: Candidate): Promise<Running> {
    if (!program) {
      if (!this.mocks) throw new Error('the mocks are not up');
      return this.mocks.chat.running;
    }
    const port = await freePort();
    return start(pinned(program(port), this.pins), port);
  }

  /** Ends a member's process and starts a new one. */
  async restart(member: Member): Promise<void> {
    if (!member.candidate.program) return;
    await member.running.stop();
    member.running = await this.launch(member.candidate);
  }

  async stop(): Promise<void> {
    await Promise.all(this.members.map(({ running }) => running.stop()));
    await Promise.all(Object.values(this.mocks ?? {}).map(({ running }) => running.stop()));
  }
}
