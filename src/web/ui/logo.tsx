/** The mark of the product, a boat under sail, with its name. */
export function Logo({ size = 24 }: { size?: number }) {
  return (
    <span className="fl-logo">
      <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden>
        <rect width="32" height="32" rx="7" fill="#2962ff" />
        <path d="M16 5v15h8.5C24 13.5 21 8.5 16 5z" fill="#fff" />
        <path d="M14 9v11H7.5C8 15.5 10.5 11.5 14 9z" fill="#fff" fillOpacity=".72" />
        <path d="M5.5 22.5h21l-3 4.5h-15z" fill="#fff" />
      </svg>
      <span className="fl-logo-name">Flotilla</span>
    </span>
  );
}
