;; Finds the end of the text of a JSON string (RFC 8259, section 7), 16 bytes at a time.
;; `node scripts/generate.mjs` assembles this file into json-string-scanner-wasm.ts.
(module
  ;; Address 0: 1 for each letter of an escape of two bytes. Address 256: 1 for each hexadecimal digit.
  ;; Address 512: the text. One page more than the text needs, because 16 bytes are read at its last byte.
  (memory (export "memory") 5)

  ;; Returns the address of the first byte from $at that does not continue the text: a quote, a control
  ;; character, or the backslash of an invalid or incomplete escape. Returns $end if there is none.
  (func (export "skip") (param $at i32) (param $end i32) (result i32)
    (local $bytes v128) (local $stops i32) (local $letter i32)
    (loop $next
      (if (i32.ge_u (local.get $at) (local.get $end)) (then (return (local.get $end))))
      ;; One bit for each of the 16 bytes that is a quote, a backslash or a control character.
      (local.set $bytes (v128.load (local.get $at)))
      (local.set $stops
        (i8x16.bitmask
          (v128.or
            (v128.or
              (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x22)))
              (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x5c))))
            (i8x16.lt_u (local.get $bytes) (i8x16.splat (i32.const 0x20))))))
      (if (i32.eqz (local.get $stops))
        (then
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (br $next)))
      (local.set $at (i32.add (local.get $at) (i32.ctz (local.get $stops))))
      (if (i32.ge_u (local.get $at) (local.get $end)) (then (return (local.get $end))))
      (if (i32.ne (i32.load8_u (local.get $at)) (i32.const 0x5c)) (then (return (local.get $at))))
      ;; An escape.
      (local.set $letter (i32.load8_u offset=1 (local.get $at)))
      (if (i32.and
            (i32.load8_u (local.get $letter))
            (i32.le_u (i32.add (local.get $at) (i32.const 2)) (local.get $end)))
        (then
          (local.set $at (i32.add (local.get $at) (i32.const 2)))
          (br $next)))
      (if (i32.and
            (i32.and
              (i32.eq (local.get $letter) (i32.const 0x75))
              (i32.le_u (i32.add (local.get $at) (i32.const 6)) (local.get $end)))
            (i32.and
              (i32.and
                (i32.load8_u offset=256 (i32.load8_u offset=2 (local.get $at)))
                (i32.load8_u offset=256 (i32.load8_u offset=3 (local.get $at))))
              (i32.and
                (i32.load8_u offset=256 (i32.load8_u offset=4 (local.get $at)))
                (i32.load8_u offset=256 (i32.load8_u offset=5 (local.get $at))))))
        (then
          (local.set $at (i32.add (local.get $at) (i32.const 6)))
          (br $next)))
      (return (local.get $at)))
    (unreachable)))
