/** What a client sent and was told in one exchange, kept because its org asked for it. */
export interface KeptBodiesTable {
  /** Of the exchange. */
  id: string;
  org_id: string;
  key_id: string;
  /** Whose key it was, as the exchange says; null for nobody's. */
  owner: string | null;
  created_at: number;
  /** Both bodies, encrypted. */
  sealed: string;
}
