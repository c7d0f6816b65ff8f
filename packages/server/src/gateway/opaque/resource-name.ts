/** Matches the name of a resource at Gemini, or its URL. Its id follows the collection. */
const RESOURCE_NAME =
  /^(?:https?:\/\/[^/?#]+\/v\d\w*\/)?(cachedContents|files|fileSearchStores)\/([\w-]+)\/?(?:[?#]|$)/i;
/** Matches URLs of the Gemini API. */
const GEMINI_URL = /^\s*https?:\/\/[^/?#]*generativelanguage\./i;

/** Returns the id in the name of a resource (Gemini), such as `cachedContents/abc`. Other values are ids themselves. */
export function idOfResourceName(name: string): string {
  return RESOURCE_NAME.exec(name)?.[2] ?? name;
}

/** Returns whether the URL of a file identifies a file that the provider stores. Other URLs are public. */
export function isStoredFileUrl(url: string): boolean {
  return RESOURCE_NAME.test(url) || GEMINI_URL.test(url);
}

/** Returns the id in the name `{collection}/{id}` of a created resource; null for any other value. */
export function findNamedId(name: unknown, collection: string): string | null {
  if (typeof name !== 'string' || !name.toLowerCase().startsWith(`${collection}/`)) return null;
  return name.slice(collection.length + 1);
}
