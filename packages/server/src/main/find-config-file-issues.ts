import type { FloeConfig } from '@floe/contract/config';
import type { SemanticIssue } from '../config/parse-config.ts';
import { findConfigIssues } from '../management/config/find-config-issues.ts';
import { OutboundConfigError, resolveOutboundConnections } from '../providers/outbound-connections.ts';

/**
 * Returns the issues of `findConfigIssues`, and the file of `outbound` that cannot be read. The server checks
 * this only for its own floe.yaml, because a client that submits a document must not learn which files exist.
 */
export function findConfigFileIssues(config: FloeConfig): SemanticIssue[] {
  return [...findOutboundIssues(config), ...findConfigIssues(config)];
}

function findOutboundIssues({ outbound }: FloeConfig): SemanticIssue[] {
  const failure = findUnreadableFile(outbound);
  if (!failure) return [];
  const { setting, code } = failure;
  const message = `the file cannot be read (${code}); check that it exists and that Floe is allowed to read it`;
  return [{ path: ['outbound', setting], message, ...(code === 'ENOENT' && { isUnset: true }) }];
}

function findUnreadableFile(outbound: FloeConfig['outbound']): OutboundConfigError | null {
  try {
    return resolveOutboundConnections([outbound], () => undefined).staleFile;
  } catch (error) {
    if (!(error instanceof OutboundConfigError)) throw error;
    return error;
  }
}
