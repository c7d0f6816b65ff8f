/**
 * The settings of each profile in an AWS configuration or credentials file, by profile name. A section starts with
 * `[default]`, `[profile name]` (configuration file) or `[name]` (credentials file).
 */
export type AwsProfiles = ReadonlyMap<string, ReadonlyMap<string, string>>;

/**
 * Parses `~/.aws/credentials` or `~/.aws/config`. Ignores nested lines, because they belong to
 * settings that Floe does not use.
 */
export function parseAwsProfiles(text: string): AwsProfiles {
  const profiles = new Map<string, Map<string, string>>();
  let section: Map<string, string> | undefined;
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*([#;]|$)/.test(line)) continue;
    const head = /^\s*\[\s*(?:profile\s+)?["']?(.*?)["']?\s*\]/.exec(line);
    if (head) {
      const name = head[1] ?? '';
      section = profiles.get(name) ?? new Map();
      profiles.set(name, section);
      continue;
    }
    const setting = /^([A-Za-z0-9_-]+)\s*=\s*(.*?)(?:\s+[#;].*)?$/.exec(line);
    if (setting && section) section.set((setting[1] ?? '').toLowerCase(), setting[2] ?? '');
  }
  return profiles;
}

/** Returns the settings of a profile from both files. The credentials file takes precedence. */
export function mergeAwsProfileSettings(
  name: string,
  config: AwsProfiles,
  credentials: AwsProfiles,
): ReadonlyMap<string, string> {
  return new Map([...(config.get(name) ?? []), ...(credentials.get(name) ?? [])]);
}
