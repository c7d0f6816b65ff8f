import {
  CANDIDATES,
  type Candidate,
  type CandidateId,
  type MockPorts,
  type UnavailableCandidate,
} from './candidate.ts';
import { prepareCandidates } from './candidates.ts';
import { pinCurrentProcess, planPinning } from './machine.ts';
import type { MockDialect } from './mock/answers.ts';
import { type Mock, startMock } from './mock/mock.ts';
import { freePort, pinProgram, type RunningProgram, startProgram } from './processes.ts';

/** A candidate that is up. */
export interface RunningCandidate {
  readonly candidate: Candidate;
  running: RunningProgram;
}

/** The member as it is asked for another dialect upstream; null for what does not translate. */
export function withTranslation({ candidate, running }: RunningCandidate): RunningCandidate | null {
  return candidate.translated ? { candidate: { ...candidate, ...candidate.translated }, running } : null;
}

/** Everything that is measured, all of it running, idle but for the one under load. */
export class CandidateFleet {
  readonly pins = planPinning();
  readonly members: RunningCandidate[] = [];
  readonly absent: UnavailableCandidate[] = [];
  mocks: Readonly<Record<MockDialect, Mock>> | null = null;
  #workDir: string;

  constructor(workDir: string) {
    this.#workDir = workDir;
  }

  /** Pins this process, starts the mocks, then every candidate that can take part. */
  async start(wanted: ReadonlySet<CandidateId>): Promise<void> {
    if ('rest' in this.pins) pinCurrentProcess(this.pins.rest);
    const chat = await startMock(this.#workDir, 'chat');
    const messages = await startMock(this.#workDir, 'messages');
    this.mocks = { chat, messages };
    const upstreams = this.ports();
    for (const id of CANDIDATES) {
      if (!wanted.has(id)) continue;
      const prepared = prepareCandidates(id, this.#workDir, upstreams);
      if ('why' in prepared) this.absent.push(prepared);
      else this.members.push({ candidate: prepared, running: await this.launch(prepared) });
    }
  }

  /** Ports of the mocks. Throws before they have started. */
  ports(): MockPorts {
    if (!this.mocks) throw new Error('the mocks are not up');
    const { chat, messages } = this.mocks;
    return { chat: chat.running.port, messages: messages.running.port };
  }

  /** A process of a candidate, alone on the gateway's core. */
  async launch({ program }: Candidate): Promise<RunningProgram> {
    if (!program) {
      if (!this.mocks) throw new Error('the mocks are not up');
      return this.mocks.chat.running;
    }
    const port = await freePort();
    return startProgram(pinProgram(program(port), this.pins), port);
  }

  /** Ends a member's process and starts a new one. */
  async restart(member: RunningCandidate): Promise<void> {
    if (!member.candidate.program) return;
    await member.running.stop();
    member.running = await this.launch(member.candidate);
  }

  async stop(): Promise<void> {
    await Promise.all(this.members.map(({ running }) => running.stop()));
    await Promise.all(Object.values(this.mocks ?? {}).map(({ running }) => running.stop()));
  }
}
