# Reads a formula as Homebrew would on some machine, and prints its version, address and digest.
formula, os, arch = ARGV
OS_BLOCK = { "darwin" => :on_macos, "linux" => :on_linux }.fetch(os)
ARCH_BLOCK = { "amd64" => :on_intel, "arm64" => :on_arm }.fetch(arch)

class Formula
  FOUND = {}
  def self.on_system(block) = (yield if [OS_BLOCK, ARCH_BLOCK].include?(block))
  %i[on_macos on_linux on_intel on_arm].each do |block|
    define_singleton_method(block) { |&inner| on_system(block, &inner) }
  end
  %i[version url sha256].each do |word|
    define_singleton_method(word) do |value|
      raise "two #{word}s" if FOUND.key?(word)
      FOUND[word] = value
    end
  end
  def self.desc(text) = (raise "long" if text.length > 80)
  def self.homepage(_) = nil
  def self.license(_) = nil
  def self.test = nil
end

load formula
raise "no install" unless Sdp.method_defined?(:install)
puts Formula::FOUND.values_at(:version, :url, :sha256)
