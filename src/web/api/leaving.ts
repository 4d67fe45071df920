let leave: PromiseWithResolvers<void> | null = null;

/** While the session is being left: settles once it has been. Null otherwise. What is asked meanwhile would be refused. */
export function leaving(): Promise<void> | null {
  return leave?.promise ?? null;
}

/** Says that the session is being left, or has been. */
export function setLeaving(value: boolean): void {
  if (value) leave ??= Promise.withResolvers<void>();
  else {
    leave?.resolve();
    leave = null;
  }
}
