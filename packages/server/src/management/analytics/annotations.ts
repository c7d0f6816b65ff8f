import { annotations, annotationsQuery } from '@floe/contract/api/charts';
import { isObject, type Json } from '@floe/contract/json';
import type * as z from 'zod';
import { type AlertRow, alertPage } from '../../store/alerts.ts';
import { type AuditRow, auditPage } from '../../store/audit.ts';
import { type BreakerChangeRow, breakerChangePage } from '../../store/breaker-changes.ts';
import { readVerb, type Verb } from '../verb.ts';
import { type Coverage, momentOf } from './analytics-host.ts';
import { chartRange } from './chart-range.ts';
import { NOTE } from './notes.ts';

type Annotation = z.input<typeof annotations>['data'][number];

export function getAnnotations(coverage: Coverage): Verb {
  return readVerb({
    name: 'analytics.annotations',
    method: 'GET',
    path: '/api/analytics/annotations',
    scope: 'management',
    summary: 'List what happened in a range: changes of the configuration, alerts, breakers; newest first',
    query: annotationsQuery,
    answer: annotations,
    async run(context, { query }) {
      const { limit, about, ...asked } = query;
      const { orgId, reader } = context;
      const { from, to, timezone } = chartRange(context, coverage.zoneOf(orgId), asked);
      const wanted = { orgId, from, to, limit };
      const [changes, alerts, breakers] = await Promise.all([
        auditPage(reader, about === 'traffic' ? { ...wanted, kinds: TRAFFIC } : wanted),
        about === 'traffic' ? { rows: [], nextCursor: null } : alertPage(reader, wanted),
        breakerChangePage(reader, wanted),
      ]);
      const all = [
        ...changes.rows.map(ofChange),
        ...alerts.rows.filter(({ subject_kind }) => subject_kind !== 'breaker').map(ofAlert),
        ...breakers.rows.map(ofBreaker),
      ].sort((one, other) => (one.at < other.at ? 1 : -1));
      const cut = [changes, alerts, breakers].some(({ nextCursor }) => nextCursor !== null);
      return {
        ...coverage.of({ from, to, timezone }, context.clock),
        data: all.slice(0, limit),
        more: cut || all.length > limit,
      };
    },
  });
}

/** Subjects of changes that requests may feel. What a breaker did stands in its own history. */
const TRAFFIC = [
  'notes',
  'config',
  'providers',
  'credentials',
  'models',
  'routes',
  'policies',
  'limits',
  'budgets',
  'cache',
  'settings',
];

function ofChange({ at, actor, actor_name, action, subject, after_json }: AuditRow): Annotation {
  const who = { actor, actor_name };
  const kind = action.split('.', 1)[0] ?? action;
  const about = { kind, id: subject };
  if (action === NOTE)
    return { at: momentOf(at), kind: 'note', text: noteIn(after_json), ...who, subject: about };
  return { at: momentOf(at), kind: 'change', text: action, ...who, subject: about };
}

/** What `createNote` kept. */
function noteIn(json: string | null): string {
  const kept: Json = json === null ? null : JSON.parse(json);
  return isObject(kept) && typeof kept['text'] === 'string' ? kept['text'] : '';
}

function ofAlert({ at, event, phase, subject_kind, subject_id, subject_name }: AlertRow): Annotation {
  return {
    at: momentOf(at),
    kind: 'alert',
    text: phase === 'closes' ? `${event} over: ${subject_name}` : `${event}: ${subject_name}`,
    actor: null,
    actor_name: null,
    subject: { kind: subject_kind, id: subject_id },
  };
}

function ofBreaker({ at, breaker_id, state, because }: BreakerChangeRow): Annotation {
  return {
    at: momentOf(at),
    kind: 'breaker',
    text: because === '' ? state : `${state}: ${because}`,
    actor: null,
    actor_name: null,
    subject: { kind: 'breaker', id: breaker_id },
  };
}
