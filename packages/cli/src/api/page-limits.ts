/** Number of rows that each request for a page of a list asks for. */
export const MAX_PAGE_SIZE = 500;
/** Limit for a server that always returns a next page. */
export const MAX_PAGES = 10_000;
