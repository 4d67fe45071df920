/** Keeps plain data for the next visit. A browser that keeps nothing forgets it, and that is all. */
export function keep(key: string, data: object | null): void {
  try {
    localStorage.setItem(key, JSON.stringify(data));
  } catch {
    // full, or not allowed
  }
}

/** What was kept at an earlier visit, unchecked: somebody may have changed it. Null where there is nothing that can be read. */
export function kept(key: string): Record<string, unknown> | null {
  try {
    const data: unknown = JSON.parse(localStorage.getItem(key) ?? 'null');
    return typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : null;
  } catch {
    return null; // not allowed, or not JSON
  }
}
