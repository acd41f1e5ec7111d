//! Decompression: gzip (RFC 1952, any number of members) and zstd (RFC 8878, any number of frames),
//! both recognised by their magic bytes and never by the name of the file.

use crate::error::{At, ErrorKind, ReadError};
use crate::limits::Limits;
use crate::phase::Phase;
use flate2::bufread::MultiGzDecoder;
use profile::{WarningCode, Warnings};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder, StreamingDecoder};
use std::borrow::Cow;
use std::error::Error;
use std::io::{self, Read};
use std::ops::ControlFlow;

/// How many layers of compression are removed. Two occur: a `profile.json.gz` that a server
/// compressed once more.
const MAX_LAYERS: usize = 2;

/// How many bytes are decompressed between two calls of the observer.
const STEP: u64 = 4 << 20;

/// The largest ratio of decompressed to compressed size for which the size stated by the file is
/// reserved at once. Beyond it, the buffer grows as data arrive.
const MAX_RESERVED_RATIO: u64 = 64;

/// Decompressed data.
#[derive(Debug)]
pub(crate) struct Inflated {
    /// The data.
    pub(crate) bytes: Vec<u8>,
    /// The error, if the compressed data end too early: `bytes` are only the first part then.
    pub(crate) cut: Option<ReadError>,
}

/// Removes up to two layers of compression. Bytes that are not compressed are returned as they are.
///
/// # Errors
/// The data are corrupt, have more layers or are larger than [`Limits::max_inflated_bytes`], or
/// `observe` returned `Break`.
pub(crate) fn inflate(
    bytes: Vec<u8>,
    limits: Limits,
    observe: &mut dyn FnMut(Phase) -> ControlFlow<()>,
) -> Result<Inflated, ReadError> {
    let mut inflated = Inflated { bytes, cut: None };
    for _ in 0..MAX_LAYERS {
        let Some(codec) = Codec::of(&inflated.bytes) else { return Ok(inflated) };
        let inner = unpack(codec, &inflated.bytes, limits, observe)?;
        inflated = Inflated { bytes: inner.bytes, cut: inflated.cut.or(inner.cut) };
    }
    match Codec::of(&inflated.bytes) {
        Some(_) => Err(ReadError::malformed(
            At::File,
            format!("the data are compressed more than {MAX_LAYERS} times"),
        )),
        None => Ok(inflated),
    }
}

/// The first `n` decompressed bytes, or fewer if `bytes` do not contain more or have an error.
///
/// For [`crate::detect()`] during discovery. zstd has blocks of up to 128 KiB and an incomplete
/// block yields nothing, so `bytes` should not be shorter than that.
pub fn prefix(bytes: &[u8], n: usize) -> Cow<'_, [u8]> {
    let mut front = Cow::Borrowed(bytes);
    for _ in 0..MAX_LAYERS {
        let mut out = Vec::new();
        // An error is ignored: the bytes before it are enough.
        let _ = match Codec::of(&front) {
            None => break,
            Some(Codec::Gzip) => MultiGzDecoder::new(&*front).take(n as u64).read_to_end(&mut out),
            Some(Codec::Zstd) => first_zstd_blocks(&front, n).take(n as u64).read_to_end(&mut out),
        };
        front = Cow::Owned(out);
    }
    match front {
        Cow::Borrowed(bytes) => Cow::Borrowed(bytes.get(..n).unwrap_or(bytes)),
        inflated @ Cow::Owned(_) => inflated,
    }
}

/// Whether the bytes are compressed, and end with a checksum or a last block.
pub(crate) fn is_compressed(bytes: &[u8]) -> bool {
    Codec::of(bytes).is_some()
}

#[derive(Debug, Clone, Copy)]
enum Codec {
    Gzip,
    Zstd,
}

impl Codec {
    fn of(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0x1f, 0x8b, ..] => Some(Self::Gzip),
            // A normal frame or a skippable one, which parallel compressors write first.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(Self::Zstd),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        }
    }

    fn open(self, packed: &[u8]) -> Box<dyn Source + '_> {
        match self {
            Self::Gzip => Box::new(MultiGzDecoder::new(packed)),
            Self::Zstd => Box::new(ZstdFrames { rest: packed, frame: None }),
        }
    }

    /// The decompressed size that the data state, or 0. It may be wrong: gzip states it modulo
    /// 2^32, and only for the last member.
    fn stated_size(self, packed: &[u8]) -> u64 {
        match self {
            Self::Gzip => packed.last_chunk().map_or(0, |&size| u32::from_le_bytes(size).into()),
            Self::Zstd => {
                let mut frame = FrameDecoder::new();
                let opened = frame.init(without_skippable_frames(packed));
                opened.map_or(0, |()| frame.content_size())
            }
        }
    }
}

fn unpack(
    codec: Codec,
    packed: &[u8],
    limits: Limits,
    observe: &mut dyn FnMut(Phase) -> ControlFlow<()>,
) -> Result<Inflated, ReadError> {
    let limit = limits.max_inflated_bytes;
    let reserved =
        codec.stated_size(packed).min(limit).min(MAX_RESERVED_RATIO * packed.len() as u64);
    let mut out = Vec::new();
    // If this fails, the buffer grows step by step, and that may fail.
    let _ = usize::try_from(reserved).map(|reserved| out.try_reserve_exact(reserved));

    let mut source = codec.open(packed);
    loop {
        let done = out.len() as u64;
        if observe(Phase::Inflating(done)).is_break() {
            return Err(ReadError::cancelled());
        }
        if done > limit {
            return Err(too_large(codec, limit));
        }
        let room = (limit - done).saturating_add(1);
        match source.by_ref().take(STEP.min(room)).read_to_end(&mut out) {
            Ok(0) => return Ok(Inflated { bytes: out, cut: None }),
            Ok(_) => {}
            Err(error) => {
                let at = At::Byte((packed.len() - source.left()) as u64);
                return match failure(codec, at, &error) {
                    cut if cut.kind == ErrorKind::Truncated => {
                        Ok(Inflated { bytes: out, cut: Some(cut) })
                    }
                    error => Err(error),
                };
            }
        }
    }
}

fn too_large(codec: Codec, limit: u64) -> ReadError {
    ReadError::too_large(format!(
        "the {} data inflate to more than maxProfileBytes = {limit} bytes; raise that setting to read them",
        codec.name()
    ))
}

fn failure(codec: Codec, at: At, error: &io::Error) -> ReadError {
    let name = codec.name();
    if ended_early(error) {
        ReadError::truncated(at, format!("the {name} data end too early"))
    } else if error.kind() == io::ErrorKind::OutOfMemory {
        ReadError::too_large(format!("the inflated {name} data do not fit into memory"))
    } else {
        ReadError::malformed(at, format!("the {name} data are corrupt ({error})"))
    }
}

/// Whether the innermost cause is that the data ended early.
fn ended_early(error: &io::Error) -> bool {
    let inner = error.get_ref().map(|inner| inner as &(dyn Error + 'static));
    error.kind() == io::ErrorKind::UnexpectedEof
        || std::iter::successors(inner, |&error| error.source())
            .filter_map(|error| error.downcast_ref::<io::Error>())
            .any(|error| error.kind() == io::ErrorKind::UnexpectedEof)
}

/// A decoder that knows how many compressed bytes are left.
trait Source: Read {
    fn left(&self) -> usize;
}

impl Source for MultiGzDecoder<&[u8]> {
    fn left(&self) -> usize {
        self.get_ref().len()
    }
}

/// Decodes all frames of zstd data, one after the other. (ruzstd decodes single frames and does not
/// verify their checksums.)
struct ZstdFrames<'a> {
    rest: &'a [u8],
    frame: Option<StreamingDecoder<&'a [u8], FrameDecoder>>,
}

impl Source for ZstdFrames<'_> {
    fn left(&self) -> usize {
        self.frame.as_ref().map_or(self.rest, |frame| frame.get_ref()).len()
    }
}

impl Read for ZstdFrames<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(frame) = &mut self.frame {
                let n = frame.read(buffer)?;
                if n > 0 || buffer.is_empty() {
                    return Ok(n);
                }
                let stored = frame.decoder.get_checksum_from_data();
                if stored.is_some() && stored != frame.decoder.get_calculated_checksum() {
                    return Err(io::Error::new(
                        io::ErrorKind::InvalidData,
                        "the checksum does not match",
                    ));
                }
                self.rest = frame.get_ref();
                self.frame = None;
            }
            self.rest = without_skippable_frames(self.rest);
            if self.rest.is_empty() {
                return Ok(0);
            }
            self.frame = Some(StreamingDecoder::new(self.rest).map_err(io::Error::other)?);
        }
    }
}

/// Ends a zstd frame that has no end, with or without a checksum.
const LAST_EMPTY_RAW_BLOCK_AND_CHECKSUM: [u8; 7] = [1, 0, 0, 0, 0, 0, 0];

/// The data after any skippable frames (RFC 8878, section 3.1.2).
fn without_skippable_frames(mut bytes: &[u8]) -> &[u8] {
    while let [0x50..=0x5f, 0x2a, 0x4d, 0x18, a, b, c, d, body @ ..] = bytes {
        let Some(rest) = body.get(u32::from_le_bytes([*a, *b, *c, *d]) as usize..) else { break };
        bytes = rest;
    }
    bytes
}

/// Decodes zstd data whose last frame may have no end, which is how perf writes them.
pub(crate) fn unfinished_zstd(
    mut packed: Vec<u8>,
    limits: Limits,
    warnings: &mut Warnings,
) -> Result<Vec<u8>, ReadError> {
    packed.extend(LAST_EMPTY_RAW_BLOCK_AND_CHECKSUM);
    let mut out = Vec::new();
    let mut source = ZstdFrames { rest: &packed, frame: None };
    let read =
        source.by_ref().take(limits.max_inflated_bytes.saturating_add(1)).read_to_end(&mut out);
    if out.len() as u64 > limits.max_inflated_bytes {
        return Err(too_large(Codec::Zstd, limits.max_inflated_bytes));
    }
    // If the frame did have an end, (part of) the appended one is left over, which is not a frame.
    let is_end =
        source.frame.is_none() && source.rest.len() <= LAST_EMPTY_RAW_BLOCK_AND_CHECKSUM.len();
    if let Some(error) = read.err().filter(|_| !is_end) {
        warnings.add(WarningCode::Truncated, || {
            format!(
                "compressed records are corrupt ({error}); what was recorded before them is shown"
            )
        });
    }
    Ok(out)
}

/// A decoder with at least `n` bytes to read, or with the whole blocks of a truncated frame.
///
/// A decoder holds back up to one window of data until its frame ends, so the frame is ended by an
/// empty last block.
fn first_zstd_blocks(packed: &[u8], n: usize) -> FrameDecoder {
    let mut source = without_skippable_frames(packed);
    let mut frame = FrameDecoder::new();
    let _ = frame.init(&mut source);
    let _ = frame.decode_blocks(&mut source, BlockDecodingStrategy::UptoBytes(n));
    if !frame.is_finished() {
        let _ =
            frame.decode_blocks(&LAST_EMPTY_RAW_BLOCK_AND_CHECKSUM[..], BlockDecodingStrategy::All);
    }
    frame
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use flate2::{Compression, write::GzEncoder};
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};
    use std::io::Write;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        compress_to_vec(bytes, CompressionLevel::Fastest)
    }

    /// Text that compresses, but not to almost nothing.
    fn text(n: usize) -> Vec<u8> {
        (0u32..)
            .flat_map(|i| {
                format!("main;f{} {}\n", i.wrapping_mul(2_654_435_761) >> 20, i).into_bytes()
            })
            .take(n)
            .collect()
    }

    fn run(bytes: Vec<u8>) -> Result<Vec<u8>, ReadError> {
        let inflated = inflate(bytes, Limits::default(), &mut |_| ControlFlow::Continue(()))?;
        inflated.cut.map_or(Ok(inflated.bytes), Err)
    }

    #[test]
    fn plain_bytes_are_not_copied() {
        let bytes = text(1000);
        let address = bytes.as_ptr();
        let same = run(bytes).unwrap();
        assert_eq!(same.as_ptr(), address);
        assert_eq!(run(Vec::new()).unwrap(), b"");
    }

    #[test]
    fn two_layers_are_decompressed_and_a_third_is_rejected() {
        let plain = text(300_000);
        for packed in [
            gzip(&plain),
            zstd(&plain),
            gzip(&zstd(&plain)),
            zstd(&gzip(&plain)),
            gzip(&gzip(&plain)),
        ] {
            assert_eq!(run(packed).unwrap(), plain);
        }
        assert_eq!(run(gzip(&plain)).unwrap().capacity(), plain.len(), "no room is wasted");
        let error = run(gzip(&zstd(&gzip(&plain)))).unwrap_err();
        assert_eq!(
            (error.kind, error.to_string().as_str()),
            (ErrorKind::Malformed, "the data are compressed more than 2 times")
        );
    }

    #[test]
    fn members_frames_and_skippable_frames_follow_each_other() {
        let members = [gzip(b"a;b 1\n"), gzip(b""), gzip(b"c 2\n")].concat();
        assert_eq!(run(members).unwrap(), b"a;b 1\nc 2\n");
        let skippable = [0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 9, 9, 9];
        let frames =
            [&skippable[..], &zstd(b"a;b 1\n"), &skippable, &zstd(b"c 2\n"), &skippable].concat();
        assert_eq!(run(frames.clone()).unwrap(), b"a;b 1\nc 2\n");
        assert_eq!(&*prefix(&frames, 4), b"a;b ");
    }

    #[test]
    fn truncated_streams_are_errors_wherever_they_end() {
        let plain = text(60_000);
        for packed in [gzip(&plain), zstd(&plain)] {
            for end in (4..packed.len()).step_by(97).chain([packed.len() - 1]) {
                let error = run(packed[..end].to_vec()).unwrap_err();
                assert_eq!(error.kind, ErrorKind::Truncated, "{end}: {error}");
                assert!(plain.starts_with(&prefix(&packed[..end], 1000)));
            }
        }
    }

    #[test]
    fn corrupt_data_are_malformed_and_never_panic() {
        let plain = text(60_000);
        for packed in [gzip(&plain), zstd(&plain)] {
            for at in (10..packed.len()).step_by(61) {
                let mut broken = packed.clone();
                broken[at] ^= 0x55;
                match run(broken) {
                    Ok(bytes) => {
                        assert_eq!(bytes, plain, "byte {at} only matters if the data differ");
                    }
                    Err(error) => assert!(
                        matches!(error.kind, ErrorKind::Malformed | ErrorKind::Truncated),
                        "{error}"
                    ),
                }
            }
        }
        let mut broken = gzip(&plain);
        let crc = broken.len() - 8;
        broken[crc] ^= 1;
        let error = run(broken).unwrap_err();
        assert!(error.to_string().contains("the gzip data are corrupt"), "{error}");
        assert!(matches!(error.at, At::Byte(at) if at > 0));
    }

    #[test]
    fn decompression_bombs_stop_at_the_limit() {
        let bomb = gzip(&vec![0; 1 << 20]).repeat(3);
        let limits = Limits { max_inflated_bytes: 1 << 20 };
        let error = inflate(bomb.clone(), limits, &mut |_| ControlFlow::Continue(())).unwrap_err();
        assert_eq!(error.kind, ErrorKind::TooLarge);
        assert!(error.to_string().contains("1048576"), "{error}");
        let exact = Limits { max_inflated_bytes: 3 << 20 };
        assert_eq!(
            inflate(bomb, exact, &mut |_| ControlFlow::Continue(())).unwrap().bytes.len(),
            3 << 20
        );
    }

    #[test]
    fn the_observer_is_called_every_few_mebibytes_and_can_cancel() {
        let packed = gzip(&vec![b'x'; 1 << 20]).repeat(9);
        let mut heard = Vec::new();
        let all = inflate(packed.clone(), Limits::default(), &mut |phase| {
            heard.push(phase);
            ControlFlow::Continue(())
        });
        assert_eq!(all.unwrap().bytes.len(), 9 << 20);
        let expected = [0, 4 << 20, 8 << 20, 9 << 20].map(Phase::Inflating);
        assert_eq!(heard, expected);
        let stopped = inflate(packed, Limits::default(), &mut |_| ControlFlow::Break(()));
        assert_eq!(stopped.unwrap_err().kind, ErrorKind::Cancelled);
    }

    #[test]
    fn a_prefix_is_that_of_the_decompressed_data() {
        let plain = text(500_000);
        assert!(matches!(prefix(&plain, 100), Cow::Borrowed(front) if front == &plain[..100]));
        assert_eq!(&*prefix(b"ab", 100), b"ab");
        for packed in [gzip(&plain), zstd(&plain), gzip(&gzip(&plain))] {
            let front = &packed[..packed.len() / 2];
            assert_eq!(&*prefix(front, 4096), &plain[..4096]);
        }
        assert_eq!(&*prefix(&[0x1f, 0x8b], 10), b"");
        assert_eq!(&*prefix(&[0x28, 0xb5, 0x2f, 0xfd], 10), b"");
    }
}
