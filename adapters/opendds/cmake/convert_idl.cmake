# Writes idl/busmark.idl as OpenDDS 3.13 reads it: cmake -D FROM=… -D TO=… -P convert_idl.cmake
#
# That version knows no annotations (a topic's type and key are named in pragmas) and no members of
# anonymous type (sequences and arrays get a name first). Nothing of it shows on the wire.

file(READ "${FROM}" idl)
string(REGEX REPLACE "//[^\n]*\n" "\n" idl "${idl}")

# Types of topics, and the one key.
string(REGEX REPLACE "@final[ \t]+@topic[ \t\n]+struct ([A-Za-z]+)"
       "#pragma DCPS_DATA_TYPE \"busmark::\\1\"\n  struct \\1" idl "${idl}")
string(REGEX REPLACE "struct KeyedSample"
       "#pragma DCPS_DATA_KEY \"busmark::KeyedSample instance\"\n  struct KeyedSample" idl "${idl}")
string(REGEX REPLACE "@[a-z]+[ \t]*" "" idl "${idl}")

# Anonymous types.
string(REPLACE "  struct StructElement {"
       "  typedef char ShortText[8];\n\n  struct StructElement {" idl "${idl}")
string(REPLACE "char text[8]" "ShortText text" idl "${idl}")
foreach(element octet char short float long StructElement)
  string(REPLACE "sequence<${element}>" "${element}_body" idl "${idl}")
  string(APPEND typedefs "  typedef sequence<${element}> ${element}_body;\n")
endforeach()
string(REPLACE "#pragma DCPS_DATA_TYPE \"busmark::EmptySample\""
       "\n${typedefs}\n#pragma DCPS_DATA_TYPE \"busmark::EmptySample\"" idl "${idl}")

# What idl/user_sample.idl.in includes.
string(REPLACE "\"busmark.idl\"" "\"busmark_types.idl\"" idl "${idl}")

file(WRITE "${TO}" "${idl}")
