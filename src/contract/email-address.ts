const longest = 254; // RFC 5321

/** Letters, digits and the marks of ASCII that a mailbox may have; no quotes, brackets, blanks or control characters. */
const mailboxPattern = /^[\p{L}\p{N}\p{M}.!#$%&'*+/=?^_`{|}~-]+$/u;
const domainPattern = /^[\p{L}\p{N}\p{M}.-]+$/u;

/**
 * Whether the text is an e-mail address: a mailbox, one @, and a domain of at least two labels. Letters of every script
 * are allowed. Each character is examined once, so a hostile text costs no more than its length.
 */
export function isEmailAddress(text: string): boolean {
  if (text.length > longest) return false;
  const at = text.indexOf('@');
  const [mailbox, domain] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
  return (
    mailboxPattern.test(mailbox) &&
    mailbox.split('.').every((word) => word !== '') &&
    domainPattern.test(domain) &&
    domain.includes('.') &&
    domain.split('.').every((label) => label !== '' && !label.startsWith('-') && !label.endsWith('-'))
  );
}
