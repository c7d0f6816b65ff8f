import { analyticsAnnotations, analyticsAnnotationsQuery } from '@floe/contract/api/annotations';
import { isJsonObject, type Json } from '@floe/contract/json';
import type * as z from 'zod';
import { type AlertRow, getAlertPage } from '../../store/alerts.ts';
import { type AuditEntryRow, getAuditEntryPage } from '../../store/audit-entries.ts';
import { type BreakerChangeRow, getBreakerChangePage } from '../../store/breaker-changes.ts';
import { defineReadOperation, type Operation } from '../operation.ts';
import { type AnalyticsDataRange, toIsoTimestamp } from './analytics-data-range.ts';
import { resolveChartRange } from './chart-range.ts';
import { ANNOTATION_AUDIT_ACTION } from './create-annotation.ts';

type AnalyticsAnnotation = z.input<typeof analyticsAnnotations>['data'][number];

/** Defines the operation that lists the annotations that charts show (`GET /api/analytics/annotations`). */
export function defineListAnnotationsOperation(coverage: AnalyticsDataRange): Operation {
  return defineReadOperation({
    name: 'annotations.list',
    method: 'GET',
    path: '/api/analytics/annotations',
    scope: 'management',
    summary:
      'List annotations and events (audit log entries, alerts, breaker state changes) in a time range, newest first',
    query: analyticsAnnotationsQuery,
    answer: analyticsAnnotations,
    async run(context, { query }) {
      const { limit, about, ...asked } = query;
      const { orgId, reader } = context;
      const { from, to, timezone } = resolveChartRange(context, coverage.timezoneOf(orgId), asked);
      const wanted = { orgId, from, to, limit };
      const [changes, alerts, breakers] = await Promise.all([
        getAuditEntryPage(reader, about === 'traffic' ? { ...wanted, kinds: TRAFFIC_SUBJECT_KINDS } : wanted),
        about === 'traffic' ? { rows: [], nextCursor: null } : getAlertPage(reader, wanted),
        getBreakerChangePage(reader, wanted),
      ]);
      const all = [
        ...changes.rows.map(toChangeAnnotation),
        ...alerts.rows.filter(({ subject_kind }) => subject_kind !== 'breaker').map(toAlertAnnotation),
        ...breakers.rows.map(toBreakerAnnotation),
      ].sort((one, other) => (one.at < other.at ? 1 : -1));
      const cut = [changes, alerts, breakers].some(({ nextCursor }) => nextCursor !== null);
      return {
        ...coverage.describeRange({ from, to, timezone }, context.clock),
        data: all.slice(0, limit),
        has_more: cut || all.length > limit,
      };
    },
  });
}

/** Subject kinds whose changes may affect requests. Changes to breakers have their own history. */
const TRAFFIC_SUBJECT_KINDS = [
  'annotations',
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

function toChangeAnnotation({
  at,
  actor,
  actor_name,
  action,
  subject,
  before_json,
  after_json,
}: AuditEntryRow): AnalyticsAnnotation {
  const who = { actor, actor_name };
  const kind = action.split('.', 1)[0] ?? action;
  const name = parseResourceName(after_json) ?? parseResourceName(before_json) ?? subject;
  const about = { kind, id: subject, name };
  if (action === ANNOTATION_AUDIT_ACTION)
    return { at: toIsoTimestamp(at), kind: 'note', text: parseNoteText(after_json), ...who, subject: about };
  return { at: toIsoTimestamp(at), kind: 'change', text: action, ...who, subject: about };
}

/** The name of the resource in an audited version; null when it has none. */
function parseResourceName(json: string | null): string | null {
  const version: Json = json === null ? null : JSON.parse(json);
  if (!isJsonObject(version)) return null;
  const name = [version['name'], version['email'], version['model']].find(
    (value) => typeof value === 'string',
  );
  return typeof name === 'string' && name !== '' ? name : null;
}

/** Parses a note that `createAnnotationOperation` stored. */
function parseNoteText(json: string | null): string {
  const kept: Json = json === null ? null : JSON.parse(json);
  return isJsonObject(kept) && typeof kept['text'] === 'string' ? kept['text'] : '';
}

function toAlertAnnotation({
  at,
  event,
  phase,
  subject_kind,
  subject_id,
  subject_name,
}: AlertRow): AnalyticsAnnotation {
  return {
    at: toIsoTimestamp(at),
    kind: 'alert',
    text: phase === 'closes' ? `${event} ended: ${subject_name}` : `${event}: ${subject_name}`,
    actor: null,
    actor_name: null,
    subject: { kind: subject_kind, id: subject_id, name: subject_name },
  };
}

function toBreakerAnnotation({
  at,
  breaker_id,
  state,
  because: reason,
}: BreakerChangeRow): AnalyticsAnnotation {
  return {
    at: toIsoTimestamp(at),
    kind: 'breaker',
    text: reason === '' ? state : `${state}: ${reason}`,
    actor: null,
    actor_name: null,
    subject: { kind: 'breaker', id: breaker_id, name: breaker_id },
  };
}
