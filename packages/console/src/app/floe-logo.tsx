/** Renders the Floe logo: a block of ice seen from a corner. */
export function FloeLogo({ size = 26 }: { readonly size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" className="shrink-0">
      <rect width="32" height="32" rx="8" fill="#1b6fc2" />
      <g fill="none" stroke="#fff" strokeWidth="2.2" strokeLinejoin="round">
        <path d="M16 6l8.7 5v10L16 26l-8.7-5V11z" />
        <path d="M7.6 11.2L16 16l8.4-4.8M16 16v9.6" />
      </g>
    </svg>
  );
}
