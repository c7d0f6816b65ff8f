/** Ends the process with a message when this Node.js cannot run Floe: `engines` is ^22.19 || ^24.11 || >=26. */
export function assertSupportedNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if ((major === 22 && minor >= 19) || (major === 24 && minor >= 11) || major >= 26) return;
  process.stderr.write(
    `floe: Node.js ${process.versions.node} is not supported. Install Node.js 22 (22.19 or newer), 24 (24.11 or newer), or 26 or newer.\n`,
  );
  process.exit(1);
}
