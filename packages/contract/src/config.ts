import * as z from 'zod';
import { OrgSchema } from './config/org.ts';
import {
  AuthSchema,
  LogSchema,
  OutboundSchema,
  RetentionSchema,
  SecuritySchema,
  ServerSchema,
  SmtpSchema,
  StorageSchema,
  TelemetrySchema,
} from './config/platform.ts';

/**
 * The shape of floe.yaml. Objects are strict, defaults are applied, short forms are spelled out, so the
 * output is complete. Rules inside one object are part of the schema; rules across objects (names
 * that must exist or be unique) are `checkReferences` of `config/references.ts`.
 */
export const FloeConfigSchema = z.strictObject({
  server: ServerSchema.prefault({}).describe('Where Floe listens.'),
  storage: StorageSchema.prefault({}).describe('Where state lives.'),
  security: SecuritySchema.prefault({}).describe('What Floe may reach.'),
  retention: RetentionSchema.prefault({}).describe('How long history is kept, in days.'),
  outbound: OutboundSchema.prefault({}).describe('How Floe reaches the world.'),
  telemetry: TelemetrySchema.prefault({}).describe('Who may read the metrics.'),
  log: LogSchema.prefault({}).describe('What Floe logs.'),
  smtp: SmtpSchema.prefault({}).describe('Mail for alerts and invitations.'),
  auth: AuthSchema.prefault({}).describe('Sign-in to the console.'),
  orgs: z.array(OrgSchema).prefault([]).describe('Organizations; each is closed to the others.'),
});

/** The loader freezes what it returns, so the types say so. */
type Frozen<T> = T extends readonly (infer Entry)[]
  ? readonly Frozen<Entry>[]
  : T extends object
    ? { readonly [Key in keyof T]: Frozen<T[Key]> }
    : T;

/** floe.yaml with every default applied. */
export type FloeConfig = Frozen<z.output<typeof FloeConfigSchema>>;
/** floe.yaml as people write it: what has a default may be absent, short forms are allowed. */
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
