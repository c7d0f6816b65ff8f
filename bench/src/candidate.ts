import type { MockDialect } from './mock/answers.ts';
import type { Program } from './processes.ts';

export const CANDIDATES = ['direct', 'nginx', 'bare', 'floe', 'portkey', 'litellm'] as const;
export type CandidateId = (typeof CANDIDATES)[number];

/** Ports of the mocks. */
export type MockPorts = Readonly<Record<MockDialect, number>>;

/** How a Chat request is sent through a candidate. */
export interface ChatEndpoint {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly model: string;
}

/** One thing that is put in front of the mocks. */
export interface Candidate extends ChatEndpoint {
  readonly id: CandidateId;
  /** What it is and in which version. */
  readonly about: string;
  /** The same to an upstream that speaks Messages; absent for what does not translate. */
  readonly translated?: ChatEndpoint;
  /**
   * Loaded by the bench's own client. wrk does not count the requests that are open at the end of a load, although they
   * have used CPU: with 64 connections and 200 responses in a load, that would be a third.
   */
  readonly ownClient?: true;
  /** Null for the mock itself, which is up anyway. */
  readonly program: ((port: number) => Program) | null;
}

/** A candidate that cannot take part, and why. */
export interface UnavailableCandidate {
  readonly id: CandidateId;
  readonly why: string;
}

export const CHAT_MODEL = 'gpt-4.1-mini';
export const MESSAGES_MODEL = 'claude-sonnet-4-5';
export const JSON_HEADERS = { 'content-type': 'application/json' };
/** A key in the form of OpenAI's keys, for gateways that check one key or none. */
export const CALLER_KEY = 'sk-bench-000000000000000000000000000000000000';
export const CALLER_HEADERS = { ...JSON_HEADERS, authorization: `Bearer ${CALLER_KEY}` };
/** The path and model of a gateway that has those of OpenAI. */
export const OPENAI_ENDPOINT = { path: '/v1/chat/completions', model: CHAT_MODEL };
