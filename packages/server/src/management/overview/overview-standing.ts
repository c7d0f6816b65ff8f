/** How the process stands, for the overview: what no table knows. */
export interface Standing {
  /** The last floe.yaml that was refused, as an org may know it, while none was taken over since; null otherwise. */
  configRefusal(
    orgId: string,
  ): { readonly atMs: number; readonly problem: string; readonly file?: string } | null;
  sharedStore(): 'ok' | 'away' | 'memory';
  /** Beats of an org that were refused in the last hour, and why the last one was; null without any. */
  refusedBeats(
    orgId: string,
  ): { readonly count: number; readonly last: string; readonly atMs: number } | null;
}
