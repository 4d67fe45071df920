interface TrustedTypes {
  createPolicy(name: 'default', rules: { createHTML(text: string): string }): unknown;
}

/**
 * Lets style text through where the content policy asks for trusted types, and nothing else.
 *
 * The component library writes its variables into style tags by innerHTML. Style text holds no '<'; markup does, and stays
 * refused.
 */
export function allowStyleText(): void {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  trustedTypes?.createPolicy('default', {
    createHTML: (text) => {
      if (text.includes('<')) throw new TypeError('Markup is not written into the page');
      return text;
    },
  });
}
