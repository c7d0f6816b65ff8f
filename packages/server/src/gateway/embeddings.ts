import { Fault } from '@floe/contract/faults';
import { isObject, type JsonObject } from '@floe/contract/json';
import {
  type EmbeddingsAnswer,
  type EmbeddingsAsk,
  readEmbeddings,
  readEmbeddingsAsk,
  writeEmbeddings,
  writeEmbeddingsAnswer,
} from '@floe/wire/embeddings';
import { usageIn } from '@floe/wire/passing-usage';
import { memberEdit, readString, type Span, scanObject, splice } from '@floe/wire/splice';
import type { Embeddings } from '../providers/provider.ts';
import { requestTo } from '../providers/request-to.ts';
import { answerHeaders } from './answer-headers.ts';
import { wholeAnswer } from './answer-sinks.ts';
import { type Ask, JSON_BODY_BYTES, parseBody } from './ask.ts';
import { bookedUsage } from './booked-usage.ts';
import { type Course, resolveCourse, type Target } from './catalog.ts';
import { COMPLETE, type Exchange, type Outcome, UNREAD } from './exchange-record.ts';
import type { Operation } from './operation.ts';
import { orderTargets, takeCourse } from './order-targets.ts';
import type { AnswerSink, Plan } from './plan.ts';
import { passRequestGate } from './policy/request-gate.ts';
import { send } from './send.ts';
import { EMBEDDING_SURFACE } from './surface.ts';
import { headerOf, readRefusal } from './upstream-fault.ts';
import { parse } from './upstream-json.ts';

/**
 * `POST /gateway/v1/embeddings`: the client's bytes where the provider speaks the OpenAI shape and can do what is
 * asked, else the same request in the provider's words.
 */
export const EMBEDDINGS: Operation = {
  surface: EMBEDDING_SURFACE,
  async parse(x) {
    const { key, catalog } = x.caller;
    let ask = readOutline(await x.client.readBody(JSON_BODY_BYTES));
    x.request = { ...UNREAD, ask };
    const resolved = resolveCourse(catalog, key.models ?? (() => true), ask.model);
    const course = takeCourse(x, orderTargets(x, resolved, { orgId: key.orgId, stream: false, body: ask }));
    if (catalog.policies !== null) {
      const body = passRequestGate(x, key, ask, catalog.policies);
      if (body !== ask.body) ask = { ...readOutline(body), user: ask.user };
      x.request = { ...UNREAD, ask };
    }
    return { course, send: () => embed(x, ask, course) };
  },
};

async function embed(x: Exchange, ask: Ask, course: Course): Promise<Outcome> {
  await send(x, course, (target) => planEmbeddings(x, ask, target));
  return COMPLETE;
}

function readOutline(body: Buffer): Ask {
  const members = scanObject(body);
  for (const param of ['model', 'input'])
    if (!members.has(param))
      throw new Fault('missing_required_parameter', `Missing required parameter: "${param}".`, { param });
  const model = textAt(body, members, 'model');
  if (model === null || model === '')
    throw new Fault('invalid_request', 'The parameter "model" must be a non-empty string.', {
      param: 'model',
    });
  return { body, members, model, stream: false, choices: 1, user: textAt(body, members, 'user') };
}

function textAt(body: Buffer, members: ReadonlyMap<string, Span>, name: string): string | null {
  const span = members.get(name);
  return (span && readString(body, span)) ?? null;
}

/** Throws `unsupported_parameter` for a target that cannot take the request; another may. */
function planEmbeddings(x: Exchange, ask: Ask, target: Target): Plan {
  const { provider, credential } = target;
  const how = provider.sheet.embeddings;
  if (!how)
    throw new Fault('unsupported_parameter', `${provider.id} does not offer embeddings.`, { param: 'model' });
  const model = provider.upstreamModel(target.model);
  const headers = [...provider.headersFor(credential), 'accept', 'application/json'];
  const { body, dropped, answer: sink } = how.lacks || how.speaks !== 'openai' ? rewritten() : asItIs();
  return {
    request: requestTo(target, provider.embeddingsPath(target.model), headers, body),
    dropped,
    answer: () => sink,
    refusal: (answer) => {
      const refusal = readRefusal(provider, answer);
      // Words of another shape are no client's to parse: they travel inside an error of ours.
      if (how.speaks === 'openai' || refusal instanceof Fault) return refusal;
      const type = headerOf(answer.headers, 'content-type') ?? 'no content type';
      return new Fault(
        'invalid_request',
        `${provider.id} refused the request (${answer.status}, ${type}): ${wordsIn(answer.body)}`,
      );
    },
  };

  function asItIs(): Sending {
    const edits = [memberEdit(ask, 'model', JSON.stringify(model))];
    const encoding = textAt(ask.body, ask.members, 'encoding_format') ?? 'float';
    return { body: splice(ask.body, edits), dropped: [], answer: forwardedVectors(x, ask, encoding) };
  }

  function rewritten(): Sending {
    if (!how) throw new Error('checked above');
    const parsed = parseBody(ask);
    const read = readEmbeddingsAsk(parsed);
    const written = writeEmbeddings(read, how, model, renamed(parsed, how));
    const bytes = Buffer.from(JSON.stringify(written.body));
    return { body: bytes, dropped: written.dropped, answer: translatedVectors(x, ask, read, how) };
  }
}

interface Sending {
  readonly body: Buffer;
  readonly dropped: readonly string[];
  readonly answer: AnswerSink;
}

function renamed(body: JsonObject, { dimensions }: Embeddings): JsonObject {
  if (dimensions === undefined || body['dimensions'] === undefined) return body;
  const { dimensions: value, ...rest } = body;
  return { ...rest, [dimensions]: value };
}

const FIRST_VECTOR = /"embedding"\s*:\s*(["[])/;

/** The provider's bytes, unless its vectors came in another encoding than was asked for: official clients unpack blindly. */
function forwardedVectors(x: Exchange, ask: Ask, encoding: string): AnswerSink {
  return wholeAnswer((bytes) => {
    const members = membersOf(bytes);
    const usage = members.get('usage');
    x.answer.reportUsage(
      (usage && usageIn({ usage: JSON.parse(bytes.toString('utf8', usage.start, usage.end)) })) ?? null,
    );
    const first = FIRST_VECTOR.exec(bytes.toString('latin1', 0, 65_536))?.[1];
    const asAsked = first === undefined || (first === '"') === (encoding === 'base64');
    if (asAsked) return x.client.answer(200, answerHeaders(x, 'application/json'), bytes);
    const read = readEmbeddingsAsk(parseBody(ask));
    answerVectors(x, readEmbeddings('openai', parse(bytes), read.input.length), read.encoding, ask.model);
  });
}

/** Where the members of an answer stand. Throws `upstream_error` for what is no list of vectors. */
function membersOf(bytes: Buffer): ReadonlyMap<string, Span> {
  try {
    const members = scanObject(bytes);
    if (members.has('data')) return members;
  } catch {
    // Told below, in words about the provider and not about the caller's request.
  }
  throw new Fault('upstream_error', 'The provider sent an answer that holds no vectors.', {
    upstreamStatus: 200,
    upstreamBody: bytes.toString('utf8', 0, 2000),
  });
}

function translatedVectors(x: Exchange, ask: Ask, read: EmbeddingsAsk, { speaks }: Embeddings): AnswerSink {
  return wholeAnswer((bytes) =>
    answerVectors(x, readEmbeddings(speaks, parse(bytes), read.input.length), read.encoding, ask.model),
  );
}

function answerVectors(
  x: Exchange,
  answer: EmbeddingsAnswer,
  encoding: EmbeddingsAsk['encoding'],
  model: string,
): void {
  x.answer.reportUsage(answer.usage ?? null);
  // Where the provider does not count, the client is told what is booked.
  const { usage } = bookedUsage(x, true);
  const body = writeEmbeddingsAnswer({ ...answer, usage: usage ?? undefined }, encoding, model);
  x.client.answer(200, answerHeaders(x, 'application/json'), JSON.stringify(body));
}

/** What an error body says, at a length that fits a message. */
function wordsIn(bytes: Buffer): string {
  const text = bytes.toString('utf8', 0, 4000);
  try {
    const value: unknown = JSON.parse(text);
    const inner = isObject(value) && isObject(value['error']) ? value['error'] : value;
    if (isObject(inner) && typeof inner['message'] === 'string') return inner['message'].slice(0, 500);
  } catch {
    // Not JSON: its start says what there is to say.
  }
  return text.slice(0, 500);
}
