import { type Absent, CANDIDATES, type Candidate, type CandidateId, prepare } from './candidates.ts';
import { pinMyself, pinning } from './machine.ts';
import { type Mock, startMock } from './mock/mock.ts';
import { freePort, pinned, type Running, start } from './processes.ts';

/** A candidate that is up. */
export interface Member {
  readonly candidate: Candidate;
  running: Running;
}

/** Everything that is measured, all of it running, idle but for the one under load. */
export class Fleet {
  readonly pins = pinning();
  readonly members: Member[] = [];
  readonly absent: Absent[] = [];
  mock: Mock | null = null;
  #workDir: string;

  constructor(workDir: string) {
    this.#workDir = workDir;
  }

  /** Pins this process, starts the mock, then every candidate that can take part. */
  async start(wanted: ReadonlySet<CandidateId>): Promise<void> {
    if ('rest' in this.pins) pinMyself(this.pins.rest);
    this.mock = await startMock(this.#workDir);
    for (const id of CANDIDATES) {
      if (!wanted.has(id)) continue;
      const prepared = prepare(id, this.#workDir, this.mock.running.port);
      if ('why' in prepared) this.absent.push(prepared);
      else this.members.push({ candidate: prepared, running: await this.launch(prepared) });
    }
  }

  /** A process of a candidate, alone on the gateway's core. */
  async launch({ program }: Candidate): Promise<Running> {
    if (!program) {
      if (!this.mock) throw new Error('the mock is not up');
      return this.mock.running;
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
    await this.mock?.running.stop();
  }
}
