import * as z from 'zod';
import {
  AuthSchema,
  OutboundSchema,
  RetentionSchema,
  SecuritySchema,
  SmtpSchema,
  StorageSchema,
  TelemetrySchema,
} from './config/installation-sections.ts';
import { LogSchema } from './config/log.ts';
import { OrgSchema } from './config/org.ts';
import { ServerSchema } from './config/server.ts';

/**
 * The schema of floe.yaml. Objects are strict, defaults are applied and short forms are expanded, so the
 * output is complete. Rules about one object are part of the schema. Rules about several objects (references
 * and unique names) are in `findCrossObjectIssues` in `config/cross-object-rules.ts`.
 */
export const FloeConfigSchema = z.strictObject({
  server: ServerSchema.prefault({}).describe(
    'Listeners, public URL, processes, trusted proxies, shutdown and overload limits.',
  ),
  storage: StorageSchema.prefault({}).describe('Database and shared store.'),
  security: SecuritySchema.prefault({}).describe('Private networks to which Floe can connect.'),
  retention: RetentionSchema.prefault({}).describe('How long Floe retains each kind of history, in days.'),
  outbound: OutboundSchema.prefault({}).describe(
    'Proxy and certificate authorities for outgoing connections.',
  ),
  telemetry: TelemetrySchema.prefault({}).describe('Access to the metrics.'),
  log: LogSchema.prefault({}).describe('Access log.'),
  smtp: SmtpSchema.prefault({}).describe('Mail server for alerts and invitations.'),
  auth: AuthSchema.prefault({}).describe('Sign-in methods and sessions of the console.'),
  orgs: z.array(OrgSchema).prefault([]).describe('Organizations. They share no resources or data.'),
});

/** The loader freezes its result, so the types are readonly. */
type Frozen<T> = T extends readonly (infer Entry)[]
  ? readonly Frozen<Entry>[]
  : T extends object
    ? { readonly [Key in keyof T]: Frozen<T[Key]> }
    : T;

/** floe.yaml with all defaults applied. */
export type FloeConfig = Frozen<z.output<typeof FloeConfigSchema>>;
/** floe.yaml as it is written: fields with a default may be absent, and short forms are allowed. */
export type FloeConfigInput = z.input<typeof FloeConfigSchema>;

export type ServerConfig = FloeConfig['server'];
export type ListenerConfig = ServerConfig['listeners'][number];
export type StorageConfig = FloeConfig['storage'];
export type OidcConfig = FloeConfig['auth']['oidc'][number];
export type OrgConfig = FloeConfig['orgs'][number];
export type TeamConfig = OrgConfig['teams'][number];
export type PlatformKeyConfig = OrgConfig['keys'][number];
export type ProviderConfig = OrgConfig['providers'][number];
export type CredentialConfig = ProviderConfig['credentials'][number];
export type PriceConfig = ProviderConfig['prices'][string];
export type TimeoutsConfig = ProviderConfig['timeouts'];
export type PassthroughConfig = OrgConfig['passthrough'];
export type RouteConfig = OrgConfig['routes'][number];
export type TargetConfig = RouteConfig['targets'][number];
export type LimitConfig = OrgConfig['limits'][number];
export type BudgetConfig = OrgConfig['budgets'][number];
export type CacheConfig = OrgConfig['cache'];
export type PolicyConfig = OrgConfig['policies'][number];
export type MonitorConfig = OrgConfig['monitors'][number];
export type ChannelConfig = OrgConfig['channels'][number];
export type BoardConfig = OrgConfig['boards'][number];
export type RelayConfig = OrgConfig['relay'];
export type RelayRuleConfig = RelayConfig['rules'][number];
