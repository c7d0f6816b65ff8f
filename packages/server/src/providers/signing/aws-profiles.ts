/** Sections of a file of the AWS command line: `[default]`, `[profile name]`, with `name = value` lines. */
export type AwsProfiles = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Reads `~/.aws/credentials` or `~/.aws/config`; nested lines belong to settings nobody here asks for. */
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

/** One profile as both files together tell it; the credentials file wins. */
export function findAwsProfile(
  name: string,
  config: AwsProfiles,
  credentials: AwsProfiles,
): ReadonlyMap<string, string> {
  return new Map([...(config.get(name) ?? []), ...(credentials.get(name) ?? [])]);
}
