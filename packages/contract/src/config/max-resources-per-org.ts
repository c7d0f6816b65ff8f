/**
 * Maximum number of resources of each kind in one organization, both in floe.yaml and in the API. The maximums limit
 * the cost of operations that read all resources of a kind, such as the routing of an alert or the compilation of a
 * snapshot.
 */
export const MAX_RESOURCES_PER_ORG = {
  monitors: 20_000,
  channels: 500,
  boards: 200,
  keys: 100_000,
  teams: 1_000,
  providers: 200,
  routes: 2_000,
  limits: 20_000,
  budgets: 20_000,
  policies: 200,
  relay_rules: 500,
  maintenance: 500,
  views: 1_000,
} as const;

/**
 * Maximum number of entries of lists and maps in resources. The maximums limit the cost of each request, or of each
 * event of an agent, for which Floe has to read the list.
 */
export const MAX_LIST_ENTRIES = {
  providerCredentials: 100,
  providerHeaders: 100,
  /** Also the maximum for the deployments and the prices of a provider. */
  providerModels: 1_000,
  /** Also the maximum for the targets of passthrough requests. */
  routeTargets: 100,
  userHeaders: 10,
  /** All patterns of a relay rule and of its exceptions together. They are compared with each command of an event. */
  relayRulePatterns: 500,
} as const;
